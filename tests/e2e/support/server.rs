//! How a server is started: options, environment, folders of its own.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Once;

use tokio::process::{Child, Command};

use simphone::adb::AdbFlavor;

/// Which kind of MCP conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// `initialize` with this protocol version.
    Initialize(&'static str),
    /// Each request carries version and capabilities; no handshake.
    Stateless(&'static str),
}

/// The newest of the handshake era.
pub(crate) const LATEST: Era = Era::Initialize("2025-11-25");

/// What a server is started with beside its adb.
#[derive(Clone, Debug)]
pub(crate) struct ServerOptions {
    /// The conversation.
    pub(crate) era: Era,
    /// `--plugins DIR`, each.
    pub(crate) plugins: Vec<PathBuf>,
    /// `--builtin NAME=FILE`, each.
    pub(crate) builtins: Vec<(String, PathBuf)>,
    /// `--history-age-ms`.
    pub(crate) history_age_ms: Option<u64>,
    /// The text of the config file.
    pub(crate) config: Option<String>,
    /// Further environment.
    pub(crate) env: Vec<(OsString, OsString)>,
    /// Further arguments of `serve`.
    pub(crate) args: Vec<OsString>,
    /// A cache folder of its own, empty at first, instead of the one all tests share.
    pub(crate) cold_cache: bool,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            era: LATEST,
            plugins: Vec::new(),
            builtins: Vec::new(),
            history_age_ms: None,
            config: None,
            env: Vec::new(),
            args: Vec::new(),
            cold_cache: false,
        }
    }
}

/// The binary under test.
pub(crate) fn binary() -> PathBuf {
    env!("CARGO_BIN_EXE_handset").into()
}

/// Where compiled components are kept for all tests of all runs: they are keyed by content, and compiling them for
/// each of hundreds of servers would be all these tests do.
fn shared_cache() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("e2e-cache")
}

/// Compiles the built-in components into that folder, once a run: else each of the first servers would, all at once.
fn warm_cache() {
    static WARM: Once = Once::new();
    WARM.call_once(|| {
        #[allow(clippy::disallowed_methods, reason = "the tests start the product; the product spawns in one place")]
        let mut command = std::process::Command::new(binary());
        command.args(["plugin", "list"]).env("XDG_CACHE_HOME", shared_cache());
        let listed = command.stdin(Stdio::null()).output().expect("the built binary starts");
        assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    });
}

impl ServerOptions {
    /// Starts `handset serve`. The folder holds its config and data and lives as long as the server.
    pub(crate) fn spawn(&self, adb: Option<&AdbFlavor>, folder: &std::path::Path) -> Child {
        let cache = if self.cold_cache { folder.join("cache") } else { shared_cache() };
        if !self.cold_cache {
            warm_cache();
        }
        for dir in [&cache, &folder.join("config"), &folder.join("data")] {
            std::fs::create_dir_all(dir).expect("a folder of the server's own");
        }
        #[allow(clippy::disallowed_methods, reason = "the tests start the product; the product spawns in one place")]
        let mut command = Command::new(binary());
        command.arg("serve");
        for variable in ["ANDROID_SERIAL", "ANDROID_ADB_SERVER_PORT", "ADB_SERVER_SOCKET", "HANDSET_ADB", "RUST_LOG"] {
            command.env_remove(variable);
        }
        // Servers tell each other of a device through lock files under the temporary folder: one for all tests, not the user's.
        command.env("TMPDIR", env!("CARGO_TARGET_TMPDIR"));
        command
            .env("XDG_CACHE_HOME", cache)
            .env("XDG_CONFIG_HOME", folder.join("config"))
            .env("XDG_DATA_HOME", folder.join("data"));
        if let Some(adb) = adb {
            command.arg("--adb").arg(adb.program());
            for leading in adb.leading() {
                command.arg("--adb-arg").arg(leading);
            }
            command.envs(adb.env());
        }
        for dir in &self.plugins {
            command.arg("--plugins").arg(dir);
        }
        for (name, file) in &self.builtins {
            let mut pair = OsString::from(format!("{name}="));
            pair.push(file);
            command.arg("--builtin").arg(pair);
        }
        if let Some(age) = self.history_age_ms {
            command.arg("--history-age-ms").arg(age.to_string());
        }
        if let Some(text) = &self.config {
            let path = folder.join("config.toml");
            std::fs::write(&path, text).expect("the config is written");
            command.arg("--config").arg(path);
        }
        command.args(&self.args).envs(self.env.iter().cloned());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        command.spawn().expect("the built binary starts")
    }
}
