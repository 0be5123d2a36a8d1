//! What a device logs: logcat in all of its formats, and the crashes, ANRs and tombstones in it.

mod crash;
mod line;
mod network;
mod parse;
mod time;

pub use crash::{Cause, Crash, CrashKind, crashes, crashes_in_text, is_app_frame};
pub use line::{LogFormat, parse_line};
pub use network::{NetworkRequest, network_error, network_requests, redacted_url};
pub use parse::{Logcat, parse_logcat};
pub use time::{LogTime, TimeBase, parse_log_time};

use serde_json::{Map, Value, json};

/// A priority as logcat prints it in one letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// `V`.
    Verbose,
    /// `D`.
    Debug,
    /// `I`.
    Info,
    /// `W`.
    Warn,
    /// `E`, and `F` or `A`: a fatal line is an error whose process is about to end.
    Error,
}

impl Level {
    /// From logcat's letter; `S` (silent) is no level a line can have.
    #[must_use]
    pub const fn of_letter(letter: u8) -> Option<Self> {
        Some(match letter {
            b'V' => Self::Verbose,
            b'D' => Self::Debug,
            b'I' => Self::Info,
            b'W' => Self::Warn,
            b'E' | b'F' | b'A' => Self::Error,
            _ => return None,
        })
    }

    /// The contract's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Verbose => "VERBOSE",
            Self::Debug => "DEBUG",
            Self::Info => "INFO",
            Self::Warn => "WARN",
            Self::Error => "ERROR",
        }
    }
}

/// One logged line, or one message of several lines where the format keeps them together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogEntry {
    /// When, as far as the format says.
    pub time: Option<LogTime>,
    /// Owner of the process, a number or a name: `10151`, `root`.
    pub uid: Option<String>,
    /// Process.
    pub pid: Option<u32>,
    /// Thread.
    pub tid: Option<u32>,
    /// Priority.
    pub level: Option<Level>,
    /// Its priority was `F` or `A`.
    pub fatal: bool,
    /// Tag, without the blanks that fill it up; may be empty.
    pub tag: Option<String>,
    /// Process name, where the format has one (Android Studio's).
    pub process: Option<String>,
    /// What was said.
    pub message: String,
    /// Ring it came from, where a divider said so: `main`, `system`, `crash`, `events`, `kernel`, `radio`.
    pub buffer: Option<String>,
    /// Equal lines that the log daemon left out here and counted.
    pub identical: Option<u32>,
}

impl LogEntry {
    /// As an answer shows it; what the format does not tell is null (the contract's members) or left out (ours).
    #[must_use]
    pub fn to_json(&self, base: &TimeBase) -> Value {
        let mut entry = Map::new();
        entry.insert("timestamp".into(), json!(self.time.and_then(|time| time.iso(base))));
        entry.insert("level".into(), json!(self.level.map(Level::as_str)));
        entry.insert("tag".into(), json!(self.tag));
        entry.insert("pid".into(), json!(self.pid));
        entry.insert("message".into(), json!(self.message));
        let mut more = |name: &str, value: Value| {
            if !value.is_null() {
                entry.insert(name.into(), value);
            }
        };
        more("tid", json!(self.tid));
        more("uid", json!(self.uid));
        more("process", json!(self.process));
        more("buffer", json!(self.buffer));
        more("identical", json!(self.identical));
        if self.fatal {
            more("fatal", json!(true));
        }
        Value::Object(entry)
    }
}
