//! What is asked of a device's log, and what it answers.

use std::sync::Arc;

use handset_model::logs::{Crash, LogEntry, TimeBase};

/// Which lines are wanted; what is not named does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogQuery {
    /// Those of an app, by its package, whatever its processes were called and however often it was started anew.
    pub app: Option<String>,
    /// Those of one process.
    pub pid: Option<u32>,
    /// Newest lines to read before anything is left out.
    pub lines: u32,
}

/// How lines were found to be an app's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogSource {
    /// One process was named.
    Pid,
    /// By the app's own uid.
    Package,
    /// By the processes it has, or was seen to start, where the device's logcat tells no uid.
    Process,
    /// Everybody's.
    Broad,
}

impl LogSource {
    /// The contract's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pid => "pid",
            Self::Package => "package",
            Self::Process => "process",
            Self::Broad => "broad",
        }
    }
}

/// What the log held.
#[derive(Clone, Debug, PartialEq)]
pub struct Logs {
    /// Oldest first.
    pub entries: Vec<LogEntry>,
    /// Crashes of the app; of anybody where none was named. Positions are those in `entries` only where they are below its length.
    pub crashes: Vec<Crash>,
    /// Times of the crashes, in their order.
    pub crash_entries: Vec<LogEntry>,
    /// Completes times that leave something out.
    pub base: TimeBase,
    /// The device's clock, ms since 1970.
    pub now_ms: Option<i64>,
    /// How an app's lines were found.
    pub source: LogSource,
    /// There was more than could be read: what is missing is older.
    pub cut: bool,
}

/// Told of lines as they are logged; of none, once, when the device has begun. It must not block.
pub type LogListener = Arc<dyn Fn(Vec<Heard>) + Send + Sync>;

/// A stream about to be followed.
#[derive(Clone, Debug)]
pub struct Follow {
    /// The adapter's own command on the device.
    pub command: String,
    /// The app.
    pub package: String,
    /// Its uid, where it is known and the lines tell one.
    pub uid: Option<u32>,
    /// Every line that comes is the app's.
    pub only_own: bool,
    /// Its processes now.
    pub pids: Vec<u32>,
    /// Completes times.
    pub base: TimeBase,
    /// How its lines are found.
    pub source: LogSource,
}

/// A line of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// What was logged.
    pub entry: LogEntry,
    /// It is the app's.
    pub own: bool,
    /// It may be part of the announcement of a crash, whoever's it is.
    pub announces: bool,
}
