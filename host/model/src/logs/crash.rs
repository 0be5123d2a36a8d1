//! Crashes, ANRs and tombstones, from log entries or from a trace that stands alone.

mod read;

use serde_json::{Map, Value, json};

use super::{LogEntry, TimeBase};
use read::Reader;

/// How a process ended, or hung.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashKind {
    /// An exception of Java or Kotlin that nobody caught.
    Java,
    /// A signal: tombstone.
    Native,
    /// Application not responding.
    Anr,
    /// An exception of Dart that nobody caught; the process goes on.
    Dart,
    /// A fatal error of JavaScript (React Native).
    JavaScript,
}

impl CrashKind {
    /// Name in answers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Java => "java",
            Self::Native => "native",
            Self::Anr => "anr",
            Self::Dart => "dart",
            Self::JavaScript => "javascript",
        }
    }
}

/// One exception of a chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cause {
    /// Class.
    pub exception: String,
    /// What it said.
    pub message: Option<String>,
    /// Its frames, outermost call last, without `at`.
    pub frames: Vec<String>,
}

/// What ended or hung, with where.
#[derive(Clone, Debug, PartialEq)]
pub struct Crash {
    /// What kind.
    pub kind: CrashKind,
    /// Process name.
    pub process: Option<String>,
    /// Process id.
    pub pid: Option<u32>,
    /// Thread.
    pub thread: Option<String>,
    /// The exceptions, the one thrown last first; of a native one none.
    pub chain: Vec<Cause>,
    /// `SIGSEGV`, and its code and address as they stand.
    pub signal: Option<String>,
    /// Reason of an ANR; abort message of a tombstone.
    pub reason: Option<String>,
    /// Component named by an ANR.
    pub activity: Option<String>,
    /// Frames of a tombstone.
    pub backtrace: Vec<String>,
    /// Position of its first entry.
    pub at: usize,
}

/// Frames and causes kept of one crash.
const FRAMES: usize = 64;
const CAUSES: usize = 16;
/// Crashes kept of one log: the newest.
const CRASHES: usize = 64;
/// Characters of one message.
const WORDS: usize = 500;

/// Packages of the platform and of libraries nobody debugs first.
const PLATFORM: [&str; 18] = [
    "android.",
    "androidx.",
    "com.android.",
    "com.google.android.",
    "com.google.firebase.",
    "dalvik.",
    "dart:",
    "java.",
    "javax.",
    "jdk.",
    "kotlin.",
    "kotlinx.",
    "libcore.",
    "okhttp3.",
    "okio.",
    "org.chromium.",
    "package:flutter/",
    "sun.",
];

/// Whether a frame is the app's own, as far as its name tells.
#[must_use]
pub fn is_app_frame(frame: &str) -> bool {
    // `module@version/class.method(file)` as newer runtimes print.
    let name = frame.rsplit_once("//").map_or(frame, |(_, name)| name);
    !PLATFORM.iter().any(|package| name.starts_with(package)) && !name.starts_with("...")
}

fn cut(text: &str) -> String {
    text.trim().chars().take(WORDS).collect()
}

impl Crash {
    fn new(kind: CrashKind, at: usize) -> Self {
        Self {
            kind,
            process: None,
            pid: None,
            thread: None,
            chain: Vec::new(),
            signal: None,
            reason: None,
            activity: None,
            backtrace: Vec::new(),
            at,
        }
    }

    /// The innermost frame of the app's own: of the root cause first.
    #[must_use]
    pub fn app_frame(&self) -> Option<&str> {
        if self.kind == CrashKind::Native {
            let own = |frame: &&String| {
                frame.contains("/data/") || self.process.as_deref().is_some_and(|process| frame.contains(process))
            };
            return self.backtrace.iter().find(own).map(String::as_str);
        }
        let frames = || self.chain.iter().rev().flat_map(|cause| &cause.frames);
        // The package's first two words are more than any list of others' packages.
        let package: Option<String> = self.process.as_deref().map(|process| {
            let package = process.split(':').next().unwrap_or_default();
            package.split('.').take(2).map(|word| format!("{word}.")).collect()
        });
        let own = |frame: &&String| package.as_deref().is_some_and(|package| frame.starts_with(package));
        let platform = |package: &String| PLATFORM.iter().any(|known| package.starts_with(known));
        let named = package.as_ref().filter(|package| package.len() > 3 && !platform(package));
        let found = named.and_then(|_| frames().find(own)).or_else(|| frames().find(|frame| is_app_frame(frame)));
        found.map(String::as_str)
    }

    /// As an answer shows it: what is not known is left out.
    #[must_use]
    pub fn to_json(&self, entries: &[LogEntry], base: &TimeBase) -> Value {
        let mut shown = Map::new();
        let mut put = |name: &str, value: Value| {
            if !value.is_null() {
                shown.insert(name.to_owned(), value);
            }
        };
        put("kind", json!(self.kind.as_str()));
        put("process", json!(self.process));
        put("pid", json!(self.pid));
        put("thread", json!(self.thread));
        let time = entries.get(self.at).and_then(|entry| entry.time);
        put("timestamp", json!(time.and_then(|time| time.iso(base))));
        if let Some(first) = self.chain.first() {
            put("exception", json!(first.exception));
            put("message", json!(first.message));
        }
        put("signal", json!(self.signal));
        put(if self.kind == CrashKind::Native { "abort_message" } else { "reason" }, json!(self.reason));
        put("activity", json!(self.activity));
        put("first_app_frame", json!(self.app_frame()));
        let causes = self.chain.iter().skip(1);
        let chain: Vec<Value> =
            causes.map(|cause| json!({ "exception": cause.exception, "message": cause.message })).collect();
        if !chain.is_empty() {
            put("caused_by", json!(chain));
        }
        let top = if self.chain.is_empty() {
            self.backtrace.as_slice()
        } else {
            self.chain.first().map_or(&[][..], |cause| &cause.frames)
        };
        if !top.is_empty() {
            put("frames", json!(top.iter().take(5).collect::<Vec<_>>()));
        }
        Value::Object(shown)
    }
}

/// Crashes in entries, oldest first; the lines of one may stand between those of others.
#[must_use]
pub fn crashes(entries: &[LogEntry]) -> Vec<Crash> {
    let mut reader = Reader::default();
    for (at, entry) in entries.iter().enumerate() {
        let tag = entry.tag.as_deref().unwrap_or_default();
        let key = Some((entry.pid, tag));
        for line in entry.message.split('\n') {
            reader.line(at, tag, key, entry, line.trim_end_matches('\r'));
        }
    }
    reader.done()
}

/// Crashes of a text without log lines: a stack trace, a tombstone file, the record of an ANR.
#[must_use]
pub fn crashes_in_text(text: &str) -> Vec<Crash> {
    let mut reader = Reader::bare();
    let entry = LogEntry::default();
    for line in text.lines() {
        reader.line(0, "", None, &entry, line);
    }
    reader.done()
}
