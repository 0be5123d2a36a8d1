//! `handset serve`: MCP on stdin and stdout.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use rmcp::ServiceExt;
use simphone::{Phone, PhoneOptions, Profile, Scene};
use tracing_subscriber::EnvFilter;

use super::output::fail;
use super::{Serve, config};
use crate::mcp::{Profile as ToolProfile, Server};
use crate::process::Program;
use crate::tools::House;

/// How long children may take to be reaped when the client has gone.
const GRACE: Duration = Duration::from_secs(2);

pub(super) async fn main(options: Serve) -> ExitCode {
    // stdout belongs to the protocol.
    let wanted = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    // rmcp's finer levels log whole messages, typed text and all; logs hold ids, not payloads.
    let filter = match "rmcp=info".parse() {
        Ok(quiet) => wanted.add_directive(quiet),
        Err(_) => wanted,
    };
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false).init();
    let profile = match ToolProfile::parse(&options.tools) {
        Ok(profile) => profile,
        Err(error) => return fail(&format!("--tools: {error}")),
    };
    let phone = match &options.phone {
        Some(scene) => match start_phone(scene).await {
            Ok(phone) => Some(phone),
            Err(error) => return fail(&format!("--phone {scene}: {error}")),
        },
        None => None,
    };
    let adb = match &phone {
        Some(phone) => match stand_in(&[phone.adb_addr().to_string()]) {
            Ok(adb) => Some(adb),
            Err(error) => return fail(&error),
        },
        None => None,
    };
    let house = match config::house(&options, adb) {
        Ok(config) => House::open(config),
        Err(error) => return fail(&error.to_string()),
    };
    let server = Server::new(house.clone(), profile);
    let outcome = match server.serve(rmcp::transport::io::stdio_pipes()).await {
        Ok(running) => {
            let stop = running.cancellation_token();
            let signals = tokio::spawn(async move {
                told_to_stop().await;
                stop.cancel();
            });
            let ended = running.waiting().await.map(|_| ()).map_err(|error| error.to_string());
            signals.abort();
            ended
        }
        // A client that goes before it says hello is no failure of ours.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(error.to_string()),
    };
    house.close(GRACE).await;
    drop(phone);
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

/// Until somebody asks this process to end: its children must not outlive it.
async fn told_to_stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

async fn start_phone(scene: &str) -> Result<Phone, String> {
    let scene = Scene::by_name(scene).map_err(|error| error.to_string())?;
    let options = PhoneOptions { profile: Profile::INSTANT, ..PhoneOptions::new(scene) };
    Phone::start(options).await.map_err(|error| error.to_string())
}

/// The stand-in adb: this very binary, as a program plus leading arguments.
///
/// # Errors
/// The system cannot tell where the binary is.
pub(super) fn stand_in(phones: &[String]) -> Result<Program, String> {
    let path = std::env::current_exe().map_err(|error| format!("where this program is cannot be told: {error}"))?;
    let leading = ["phone", "adb", "--phones"]
        .map(OsString::from)
        .into_iter()
        .chain([OsString::from(phones.join(","))])
        .collect();
    Ok(Program { path, leading, env: Vec::new() })
}
