//! A whole log: dividers, formats, messages of several lines, and what is no log at all.

use super::crash::{Crash, crashes, crashes_in_text};
use super::line::{LogFormat, parse_line};
use super::{Level, LogEntry};
use crate::android::classify_adb_error;
use crate::{Code, Failure};

/// Bytes of one message that are kept: a line of the log daemon holds 4 068, and the rest of it is no longer its own.
const MESSAGE: usize = 64 * 1024;

/// A log as it was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Logcat {
    /// The format most of it is in; `None` for an empty one, and for a trace or a tombstone without log lines.
    pub format: Option<LogFormat>,
    /// In the order they stand.
    pub entries: Vec<LogEntry>,
    /// Rings that dividers named.
    pub buffers: Vec<String>,
    /// Lines that belong to no entry.
    pub strangers: usize,
    /// Crashes, ANRs and tombstones in it.
    pub crashes: Vec<Crash>,
}

/// `--------- beginning of main`, `--------- switch to main`; on Android 4 the ring is a device file. A reconnecting
/// `adb logcat` glues it to a line of its own.
fn divider(line: &str) -> Option<&str> {
    const DASHES: &str = "--------- ";
    let rest = &line[line.find(DASHES)? + DASHES.len()..];
    let ring = rest.strip_prefix("beginning of ").or_else(|| rest.strip_prefix("switch to "))?;
    Some(ring.trim().trim_start_matches("/dev/log/")).filter(|ring| !ring.is_empty() && !ring.contains(' '))
}

/// What adb, logcat, or a bug report says between lines.
fn is_noise(line: &str) -> bool {
    const STARTS: [&str; 8] = [
        "------ ",
        "- waiting for device",
        "* daemon",
        "logcat interrupted",
        "logcat: ",
        "Unable to open log device",
        "adb server",
        "read: unexpected EOF",
    ];
    STARTS.iter().any(|start| line.starts_with(start))
}

/// Without the colours of `-v color`.
fn plain(line: &str) -> std::borrow::Cow<'_, str> {
    if !line.contains('\u{1b}') {
        return line.into();
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        out.push_str(before);
        rest = match after.strip_prefix('[').and_then(|code| {
            let end = code.find(|c: char| !(c.is_ascii_digit() || c == ';'))?;
            code.get(end + 1..).filter(|_| code.as_bytes().get(end) == Some(&b'm'))
        }) {
            Some(rest) => rest,
            None => after,
        };
    }
    out.push_str(rest);
    out.into()
}

/// `uid=1000(system) HwBinder:1441_2 identical 3 lines`, `… expire 12 lines`.
fn identical(entry: &LogEntry) -> Option<u32> {
    if entry.tag.as_deref() != Some("chatty") {
        return None;
    }
    let mut words = entry.message.rsplit(' ');
    let (lines, count, kind) = (words.next()?, words.next()?, words.next()?);
    (lines.starts_with("line") && matches!(kind, "identical" | "expire")).then(|| count.parse().ok())?
}

/// Reads a log of any format.
///
/// # Errors
/// `LOGS_UNAVAILABLE` with what the text is instead, where it is none; adb's own words as their own code.
pub fn parse_logcat(text: &str) -> Result<Logcat, Failure> {
    let mut log = Logcat::default();
    let (mut ring, mut divided, mut raw) = (None::<String>, false, Vec::new());
    let mut blank = 0usize;
    for line in text.split('\n') {
        let line = plain(line.trim_end_matches('\r'));
        let line = line.as_ref();
        if let Some(named) = divider(line) {
            divided = true;
            if !log.buffers.iter().any(|known| known == named) {
                log.buffers.push(named.to_owned());
            }
            ring = Some(named.to_owned());
            blank = 0;
            continue;
        }
        if let Some((format, mut entry)) = parse_line(line, log.format) {
            entry.buffer.clone_from(&ring);
            entry.identical = identical(&entry);
            log.format.get_or_insert(format);
            log.entries.push(entry);
            blank = 0;
            continue;
        }
        if line.trim().is_empty() {
            blank += 1;
            continue;
        }
        if is_noise(line) {
            log.strangers += 1;
            continue;
        }
        match log.entries.last_mut() {
            Some(entry) => {
                continued(entry, line, blank);
                log.strangers += usize::from(log.format != Some(LogFormat::Long));
            }
            None => {
                log.strangers += 1;
                if divided {
                    raw.push((ring.clone(), line.to_owned()));
                }
            }
        }
        blank = 0;
    }
    if log.entries.is_empty() && !raw.is_empty() {
        log.format = Some(LogFormat::Raw);
        log.strangers = 0;
        let entry = |(buffer, message)| LogEntry { message, buffer, ..LogEntry::default() };
        log.entries = raw.into_iter().map(entry).collect();
    }
    log.crashes = if log.format.is_some_and(|format| format != LogFormat::Raw) {
        crashes(&log.entries)
    } else {
        crashes_in_text(text)
    };
    let empty = log.entries.is_empty() && log.crashes.is_empty();
    if empty && !divided { Err(no_log(text)) } else { Ok(log) }
}

/// A line of the message before it, with the empty lines between them.
fn continued(entry: &mut LogEntry, line: &str, blank: usize) {
    if entry.message.len() + line.len() + blank >= MESSAGE {
        return;
    }
    if !entry.message.is_empty() {
        (0..=blank.min(16)).for_each(|_| entry.message.push('\n'));
    }
    entry.message.push_str(line);
}

fn no_log(text: &str) -> Failure {
    if let Some(failure) = classify_adb_error(text) {
        return failure;
    }
    let message = match text.lines().map(str::trim).find(|line| !line.is_empty()) {
        None => "the log is empty: logcat printed nothing, not even where a ring begins".to_owned(),
        Some(line) => {
            format!("this is no logcat output; it begins with {:?}", line.chars().take(80).collect::<String>())
        }
    };
    Failure::new(Code::LogsUnavailable, message)
        .with_remedy("Pass what `adb logcat -d` prints, in any -v format.")
        .with_retryable(false)
}

impl Logcat {
    /// Entries of at least this level.
    #[must_use]
    pub fn at_least(&self, level: Level) -> usize {
        self.entries.iter().filter(|entry| entry.level.is_some_and(|of| of >= level)).count()
    }
}
