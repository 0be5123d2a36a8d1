//! What adb itself says when it cannot reach a device.

use super::devices::{DeviceState, state_remedy};
use super::quoted;
use crate::{Code, Failure};

/// How a remedy is found.
enum Remedy {
    /// The code's own.
    OfCode,
    /// That of a device in this state.
    OfState(&'static str),
    /// This one.
    Is(&'static str),
}

const SERVER: Remedy =
    Remedy::Is("Repeat the call; if it persists, restart the adb server (adb kill-server, then adb start-server).");

/// Words of adb, most telling first. A line holds all words of an entry.
const SAYINGS: &[(&[&str], Code, Remedy)] = &[
    (&["device offline"], Code::DeviceOffline, Remedy::OfState("offline")),
    (&["device unauthorized"], Code::DeviceOffline, Remedy::OfState("unauthorized")),
    (&["device still authorizing"], Code::DeviceOffline, Remedy::OfState("authorizing")),
    (&["device still connecting"], Code::DeviceOffline, Remedy::OfState("connecting")),
    (&["insufficient permissions for device"], Code::DeviceOffline, Remedy::OfState("no permissions")),
    (&["no permissions"], Code::DeviceOffline, Remedy::OfState("no permissions")),
    (&["device '", "not found"], Code::DeviceNotFound, Remedy::OfCode),
    (&["device not found"], Code::DeviceNotFound, Remedy::OfCode),
    (&["transport", "not found"], Code::DeviceNotFound, Remedy::OfCode),
    (&["no device with transport id"], Code::DeviceNotFound, Remedy::OfCode),
    (&["no devices/emulators found"], Code::DeviceNotFound, Remedy::OfCode),
    (&["no devices found"], Code::DeviceNotFound, Remedy::OfCode),
    (&["no emulators found"], Code::DeviceNotFound, Remedy::OfCode),
    (&["more than one device"], Code::AmbiguousDevice, Remedy::OfCode),
    (&["more than one emulator"], Code::AmbiguousDevice, Remedy::OfCode),
    // Before what comes of it: the other server keeps the port, and none of ours can be started.
    (&["doesn't match this client"], Code::AdbVersionConflict, Remedy::OfCode),
    (&["cannot connect to daemon"], Code::DeviceOffline, SERVER),
    (&["failed to start daemon"], Code::DeviceOffline, SERVER),
    (&["could not install *smartsocket* listener"], Code::DeviceOffline, SERVER),
    (&["didn't ACK"], Code::DeviceOffline, SERVER),
    (&["protocol fault"], Code::DeviceOffline, SERVER),
    (&["failed to check server version"], Code::DeviceOffline, SERVER),
    (&["error: closed"], Code::DeviceOffline, Remedy::OfCode),
    (&["feature set: closed"], Code::DeviceOffline, Remedy::OfCode),
    (&["connection reset"], Code::DeviceOffline, Remedy::OfCode),
    (
        &["adb: unknown command"],
        Code::Unsupported,
        Remedy::Is("Update Android platform-tools: this adb does not know the command."),
    ),
];

/// Beginnings of adb's own lines. With shell_v2 a device's stderr arrives on the same stream, so that
/// a program on the device that prints "device offline" must not count.
const OWN: [&str; 9] = [
    "error:",
    "adb:",
    "adb.exe:",
    "adb F ",
    "adb E ",
    "adb server version",
    "* ",
    "ADB server",
    "cannot connect to daemon",
];

/// Types what adb itself said on stderr (device gone, offline, unauthorized, several, no server, version clash, …);
/// `None` when the text is not adb's own.
#[must_use]
pub fn classify_adb_error(stderr: &str) -> Option<Failure> {
    let own: Vec<&str> =
        stderr.lines().map(str::trim).filter(|line| OWN.iter().any(|start| line.starts_with(start))).collect();
    SAYINGS.iter().find_map(|(words, code, remedy)| {
        let line = own.iter().find(|line| words.iter().all(|word| line.contains(word)))?;
        let needs = if *code == Code::Unsupported { "this needs newer platform-tools: " } else { "" };
        let failure = Failure::new(*code, format!("{needs}adb says: {}", quoted(line)));
        Some(match remedy {
            Remedy::OfCode => failure,
            Remedy::OfState(state) => failure.with_remedy(state_remedy(&DeviceState::Other((*state).to_owned()))),
            Remedy::Is(remedy) => failure.with_remedy(*remedy),
        })
    })
}
