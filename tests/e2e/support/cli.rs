//! The commands for a person.

use std::io::Write;
use std::process::{Output, Stdio};

use simphone::adb::AdbFlavor;

use super::server::binary;

/// `handset ARGS…`, with this adb where the command takes one, and folders that are no user's.
pub(crate) fn command(args: &[&str], adb: Option<&AdbFlavor>) -> tokio::process::Command {
    #[allow(clippy::disallowed_methods, reason = "the tests start the product; the product spawns in one place")]
    let mut command = tokio::process::Command::new(binary());
    for variable in ["ANDROID_SERIAL", "ANDROID_ADB_SERVER_PORT", "ADB_SERVER_SOCKET", "HANDSET_ADB", "RUST_LOG"] {
        command.env_remove(variable);
    }
    let folder = env!("CARGO_TARGET_TMPDIR");
    command.args(args).env("TMPDIR", folder).env("XDG_CONFIG_HOME", folder).env("XDG_DATA_HOME", folder);
    command.env("XDG_CACHE_HOME", std::path::Path::new(folder).join("e2e-cache"));
    if let Some(adb) = adb {
        command.arg("--adb").arg(adb.program()).envs(adb.env());
        for leading in adb.leading() {
            command.arg("--adb-arg").arg(leading);
        }
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    command
}

/// Runs `handset ARGS…` on these bytes of stdin, to its end.
pub(crate) fn fed(args: &[&str], stdin: &[u8]) -> Output {
    #[allow(clippy::disallowed_methods, reason = "the tests start the product; the product spawns in one place")]
    let mut child = std::process::Command::new(binary())
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let bytes = stdin.to_vec();
    // It need not read what it was not asked to.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&bytes)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}
