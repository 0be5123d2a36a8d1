//! `handset serve`: MCP on stdin and stdout.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use simphone::{Phone, PhoneOptions, Profile, Scene};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

use super::output::fail;
use super::{Serve, config};
use crate::mcp::{Profile as ToolProfile, Server, Stdio};
use crate::process::Program;
use crate::tools::House;

/// How long calls may take to notice that the client has gone: most take a moment.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long children may take to be reaped then.
const GRACE: Duration = Duration::from_secs(2);

pub(super) async fn main(options: Serve) -> ExitCode {
    // stdout belongs to the protocol.
    let wanted = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    // rmcp logs what it is sent, whole messages at its finest levels and still the names in its warnings; logs hold ids,
    // not payloads.
    let filter = match "rmcp=error".parse() {
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
    // From here on a signal ends this process our way: components compile before the client says hello.
    let gone = CancellationToken::new();
    let signals = tokio::spawn(on_signal(gone.clone()));
    let house = match config::house(&options, adb) {
        Ok(config) => House::open(config),
        Err(error) => return fail(&error.to_string()),
    };
    let reloads = tokio::spawn(on_hangup(house.clone()));
    let (stdin, stdout) = rmcp::transport::io::stdio_pipes();
    let transport = Stdio::new(stdin, stdout, gone.clone());
    let outcome = match Server::new(house.clone(), profile).serve_with_ct(transport, gone.clone()).await {
        Ok(running) => tokio::select! {
            ended = running.waiting() => ended.map(|_| ()).map_err(|error| error.to_string()),
            () = stuck(&gone) => {
                tracing::warn!("a call did not end when it was cancelled");
                Ok(())
            }
        },
        // A client that goes before it says hello is no failure of ours.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        // Not rmcp's own words: they show the message.
        Err(ServerInitializeError::ExpectedInitializeRequest(_)) => Err("the client did not begin".to_owned()),
        Err(error) => Err(error.to_string()),
    };
    signals.abort();
    reloads.abort();
    house.close(GRACE).await;
    drop(phone);
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

/// Looks again for plugins each time somebody sends SIGHUP; the log says what came of it.
fn on_hangup(house: Arc<House>) -> impl Future<Output = ()> {
    #[cfg(unix)]
    let hangup = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup());
    async move {
        #[cfg(unix)]
        if let Ok(mut hangup) = hangup {
            while hangup.recv().await.is_some() {
                // Logged where it is done.
                let _ = house.plugins.reload().await;
            }
        }
        #[cfg(not(unix))]
        drop(house);
    }
}

/// Ends when calls were given their time to end and did not.
async fn stuck(gone: &CancellationToken) {
    gone.cancelled().await;
    tokio::time::sleep(PATIENCE).await;
}

/// Cancels when somebody asks this process to end: its children must not outlive it. Signals are ours from the moment
/// this is called, not only from its first await.
fn on_signal(gone: CancellationToken) -> impl Future<Output = ()> {
    #[cfg(unix)]
    let terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate());
    #[cfg(unix)]
    let interrupt = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt());
    async move {
        #[cfg(unix)]
        if let (Ok(mut terminate), Ok(mut interrupt)) = (terminate, interrupt) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            return gone.cancel();
        }
        if tokio::signal::ctrl_c().await.is_ok() {
            gone.cancel();
        }
    }
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
