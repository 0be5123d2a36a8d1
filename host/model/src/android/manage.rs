//! What the commands say that manage apps and the device: `am force-stop`, `pm clear`, `pm grant`, `settings put`, the
//! emulator's console; and `pm list users`.

use super::trace::{exception, without_noise};
use super::{Refusal, quoted};
use crate::{Code, Failure};

/// A command that manages an app or the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Managing {
    /// `am force-stop`: prints nothing.
    Terminate,
    /// `pm clear`: prints `Success` or `Failed`.
    Reset,
    /// `pm grant` and `pm revoke`: print nothing.
    Permission,
    /// `settings put`, `wm`: print nothing.
    Setting,
}

const SECURITY: &str = "Turn on \"USB debugging (Security settings)\" in developer options, then repeat.";

/// Words of refusals that come before anything is done, with what to do: the framework's own, in AOSP's sources.
const REFUSALS: &[(&str, &str)] = &[
    (
        "has not requested permission",
        "Name the permission with uses-permission in the app's manifest; only what an app asks for can be granted.",
    ),
    (
        "not a changeable permission type",
        "Only runtime and development permissions can be granted or revoked; others come with the install.",
    ),
    (
        "Unknown permission",
        "Pass the full name of a permission that this Android knows, such as android.permission.CAMERA.",
    ),
    ("Permission is not changeable", "Only runtime and development permissions can be granted or revoked."),
    ("policy fixed permission", "The device's policy fixes this permission: change the policy."),
    ("system fixed permission", "The system fixes this permission for this app."),
    ("GRANT_RUNTIME_PERMISSIONS", SECURITY),
    ("REVOKE_RUNTIME_PERMISSIONS", SECURITY),
    ("GRANT_REVOKE_PERMISSIONS", SECURITY),
    ("CLEAR_APP_USER_DATA", SECURITY),
    ("WRITE_SECURE_SETTINGS", SECURITY),
    ("WRITE_SETTINGS", SECURITY),
    ("FORCE_STOP_PACKAGES", SECURITY),
    ("protected package", "The system protects this app: it cannot be reset."),
    ("Shell does not have permission to access user", "Pass a user that adb may act for, or none."),
    ("INTERACT_ACROSS_USERS", "Pass a user that adb may act for, or none."),
    ("Unknown package", "Install the app for this user first, or pass another appId."),
    ("Package not found", "Install the app for this user first, or pass another appId."),
    ("Can't find service", "The device is still starting: wait until it has, then repeat."),
    ("Could not access the Package Manager", "The device is still starting: wait until it has, then repeat."),
    ("Is the system running?", "The device is still starting: wait until it has, then repeat."),
];

/// Beginnings of lines with which these commands say that they did nothing, with exit status 0 as well.
const STARTS: [&str; 8] = [
    "Operation not allowed",
    "Bad argument",
    "Security exception",
    "Unknown command",
    "Error: Unknown",
    "Error: unknown",
    "Invalid command",
    "Permission Denial",
];

/// Types what such a command printed; `None` is success.
#[must_use]
pub fn classify_managing(doing: Managing, output: &str, status: i32) -> Option<Refusal> {
    let output = &without_noise(output);
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("WARNING: "));
    let refused = |line: &str, remedy: Option<&str>, nothing_done| {
        let failure = Failure::new(Code::ActionRejected, format!("The device refused it: {}", quoted(line)));
        let failure = match remedy {
            Some(remedy) => failure.with_remedy(remedy),
            None => failure,
        };
        Some(Refusal { failure, nothing_done })
    };
    let known = lines()
        .find_map(|line| REFUSALS.iter().find(|(words, _)| line.contains(words)).map(|(_, remedy)| (line, *remedy)));
    let success = doing == Managing::Reset && lines().any(|line| line == "Success");
    if success {
        return None;
    }
    if let Some((line, remedy)) = known {
        return refused(line, Some(remedy), true);
    }
    if matches!(status, 126 | 127) {
        let said = lines().next_back().unwrap_or("it cannot be run");
        let failure = Failure::new(Code::Unsupported, format!("This needs a command of Android's: {}", quoted(said)));
        return Some(Refusal { failure, nothing_done: true });
    }
    if let Some(line) = lines().find(|line| STARTS.iter().any(|start| line.starts_with(start))) {
        return refused(line, None, true);
    }
    if let Some(line) = exception(output).or_else(|| lines().find(|line| line.starts_with("Error"))) {
        return refused(line, None, false);
    }
    match (doing, status) {
        (Managing::Reset, _) => refused(lines().next_back().unwrap_or("pm clear said nothing"), None, false),
        (_, 0) => None,
        _ => {
            let said = lines().next_back().unwrap_or("it said nothing");
            refused(&format!("{said} (status {status})"), None, false)
        }
    }
}

/// Judges what the emulator's console said: `OK`, or `KO: words`.
///
/// # Errors
/// `ACTION_REJECTED` with its words; `nothing_done` unless it said nothing at all.
pub fn parse_console(output: &str) -> Result<(), Refusal> {
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    if let Some(line) = lines().find(|line| line.starts_with("KO")) {
        let failure = Failure::new(Code::ActionRejected, format!("The emulator refused it: {}", quoted(line)));
        let failure = if line.contains("auth") {
            failure.with_remedy("Let adb read ~/.emulator_console_auth_token of the user who started the emulator.")
        } else {
            failure
        };
        return Err(Refusal { failure, nothing_done: true });
    }
    if lines().any(|line| line == "OK" || line.starts_with("OK:")) {
        return Ok(());
    }
    let (said, nothing_done) = match lines().next_back() {
        Some(line) => (line, line.contains("could not connect") || line.contains("no emulator")),
        None => ("it said nothing", false),
    };
    let message = format!("The emulator's console did not take it: {}", quoted(said));
    Err(Refusal { failure: Failure::new(Code::ActionRejected, message), nothing_done })
}

/// One user of a device, as `pm list users` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceUser {
    /// 0 for the owner; work profiles, secure folders and guests have others.
    pub id: u32,
    /// Its name, which may hold anything.
    pub name: String,
    /// Apps of it can run.
    pub running: bool,
}

/// Parses `UserInfo{10:name:flags} running` lines; others are passed over.
#[must_use]
pub fn parse_users(output: &str) -> Vec<DeviceUser> {
    output
        .lines()
        .filter_map(|line| {
            let (inside, after) = line.trim().strip_prefix("UserInfo{")?.rsplit_once('}')?;
            let (id, rest) = inside.split_once(':')?;
            let (name, _flags) = rest.rsplit_once(':')?;
            Some(DeviceUser { id: id.parse().ok()?, name: name.to_owned(), running: after.contains("running") })
        })
        .collect()
}
