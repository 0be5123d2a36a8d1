//! `handset phone`: the simulated phone by itself, and the adb stand-in.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;
use simphone::{Phone, PhoneOptions, Profile, Report, Scene};

use super::output::{fail, print};

#[derive(Debug, Subcommand)]
pub(super) enum PhoneCommand {
    /// Run phones until stdin closes; prints one JSON line with their addresses
    Serve {
        /// What they show
        #[arg(default_value = "login")]
        scene: String,
        /// instant, emulator or slow-phone (default: instant, or as the report says)
        #[arg(long)]
        profile: Option<String>,
        /// Answer like the device of this report, which `handset selfcheck --output` wrote
        #[arg(long, value_name = "REPORT")]
        from: Option<PathBuf>,
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
        PhoneCommand::Serve { scene, profile, from, devices, port } => {
            let report = match from.as_deref().map(report).transpose() {
                Ok(report) => report,
                Err(error) => return fail(&error),
            };
            serve(&scene, profile.as_deref(), report, devices, port).await
        }
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

fn report(path: &Path) -> Result<Report, String> {
    let said = |error: String| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| said(error.to_string()))?;
    Report::parse(&text).map_err(|error| said(error.to_string()))
}

async fn serve(scene: &str, profile: Option<&str>, report: Option<Report>, devices: u64, port: u16) -> ExitCode {
    let profile = match profile.map(|name| (name, Profile::by_name(name))) {
        Some((name, None)) => {
            return fail(&format!("there is no profile {name:?}: instant, emulator, slow-phone"));
        }
        Some((_, known)) => known,
        None => None,
    };
    let mut phones = Vec::new();
    for number in 0..devices.max(1) {
        let scene = match Scene::by_name(scene) {
            Ok(scene) => scene,
            Err(error) => return fail(&error.to_string()),
        };
        let port = if port == 0 { 0 } else { port.saturating_add(u16::try_from(number).unwrap_or(u16::MAX)) };
        let like = match report.clone() {
            Some(report) => report.options(scene),
            None => PhoneOptions::new(scene),
        };
        let options = PhoneOptions { profile: profile.unwrap_or(like.profile), seed: number + 1, port, ..like };
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
