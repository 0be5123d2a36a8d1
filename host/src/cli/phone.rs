//! `handset phone`: the simulated phone by itself, and the adb stand-in.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;
use simphone::{Phone, PhoneOptions, Profile, Scene};

use super::output::{fail, print};

#[derive(Debug, Subcommand)]
pub(super) enum PhoneCommand {
    /// Run phones until stdin closes; prints one JSON line with their addresses
    Serve {
        /// What they show
        #[arg(default_value = "login")]
        scene: String,
        /// instant, emulator or slow-phone
        #[arg(long, default_value = "instant")]
        profile: String,
        /// How many
        #[arg(long, default_value_t = 1)]
        devices: u64,
        /// Port of the first; 0 picks a free one
        #[arg(long, default_value_t = 0)]
        port: u16,
    },
    /// List the scenes
    Scenes,
    /// Behave like adb towards simulated phones
    #[command(disable_help_flag = true, disable_version_flag = true)]
    Adb {
        /// --phones ADDR[=SERIAL][,…], then what adb takes
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
}

pub(super) async fn main(command: PhoneCommand) -> ExitCode {
    match command {
        PhoneCommand::Serve { scene, profile, devices, port } => serve(&scene, &profile, devices, port).await,
        PhoneCommand::Scenes => {
            print(&format!("{}\n", Scene::names().join("\n")));
            ExitCode::SUCCESS
        }
        PhoneCommand::Adb { args } => {
            let status = simphone::standin::standin_stdio(args).await;
            ExitCode::from(u8::try_from(status).unwrap_or(1))
        }
    }
}

async fn serve(scene: &str, profile: &str, devices: u64, port: u16) -> ExitCode {
    let Some(profile) = Profile::by_name(profile) else {
        return fail(&format!("there is no profile {profile:?}: instant, emulator, slow-phone"));
    };
    let mut phones = Vec::new();
    for number in 0..devices.max(1) {
        let scene = match Scene::by_name(scene) {
            Ok(scene) => scene,
            Err(error) => return fail(&error.to_string()),
        };
        let port = if port == 0 { 0 } else { port.saturating_add(u16::try_from(number).unwrap_or(u16::MAX)) };
        let options = PhoneOptions { profile, seed: number + 1, port, ..PhoneOptions::new(scene) };
        match Phone::start(options).await {
            Ok(phone) => phones.push(phone),
            Err(error) => return fail(&error.to_string()),
        }
    }
    let shown: Vec<_> = phones
        .iter()
        .map(|phone| json!({ "adb": phone.adb_addr().to_string(), "control": phone.control_addr().to_string(), "serial": phone.serial() }))
        .collect();
    print(&format!("{}\n", json!({ "phones": shown })));
    // Until whoever started it lets go.
    let mut sink = tokio::io::sink();
    let mut stdin = tokio::io::stdin();
    tokio::select! {
        _ = tokio::io::copy(&mut stdin, &mut sink) => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    drop(phones);
    ExitCode::SUCCESS
}
