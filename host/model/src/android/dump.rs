//! What `uiautomator dump` prints when there is no tree; it does so with exit status 0.

use super::quoted;
use super::trace::{exception, without_noise};
use crate::{Code, Failure};

/// Words in the output, most telling first: code and what they mean.
const SAYINGS: &[(&str, Code, &str)] = &[
    ("null root node", Code::NullRoot, "The accessibility root was null"),
    ("could not get idle state", Code::NotIdle, "The screen did not come to rest within the reader's 10 s"),
    ("already registered", Code::SlotBusy, "Another client holds UiAutomation"),
    ("Error while connecting UiAutomation", Code::SlotBusy, "UiAutomation could not be connected"),
    ("UiAutomation not connected", Code::SlotBusy, "Another client took UiAutomation during the read"),
    ("No space left on device", Code::TreeInvalid, "The device's storage is full"),
    ("Read-only file system", Code::TreeInvalid, "The dump file could not be written"),
    ("Permission denied", Code::TreeInvalid, "The dump file could not be written or read"),
    ("uiautomator: not found", Code::Unsupported, "This needs the device's uiautomator"),
    ("uiautomator: inaccessible or not found", Code::Unsupported, "This needs the device's uiautomator"),
];

/// Last words of a shell whose child was ended by a signal.
const SIGNALS: [&str; 5] = ["Killed", "Aborted", "Terminated", "Segmentation fault", "Hangup"];

/// Types what the dump command printed instead of, or beside, a tree (both streams): NOT_IDLE, NULL_ROOT, SLOT_BUSY, READER_KILLED, …
///
/// Only for output that holds no complete tree: a label may say any of these words.
#[must_use]
pub fn classify_dump_error(output: &str) -> Option<Failure> {
    let output = without_noise(output);
    let typed = SAYINGS.iter().find_map(|(words, code, meaning)| {
        let line = output.lines().find(|line| line.contains(words))?;
        Some(Failure::new(*code, format!("{meaning}: {}", quoted(line))))
    });
    typed.or_else(|| killed(&output)).or_else(|| missing_file(&output)).or_else(|| other_error(&output))
}

fn killed(output: &str) -> Option<Failure> {
    let by_signal = |line: &&str| {
        SIGNALS.iter().any(|signal| {
            line.strip_prefix(signal).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '(']))
                || line.strip_suffix(signal).is_some_and(|rest| rest.ends_with([' ', '\t']))
        })
    };
    if let Some(line) = output.lines().map(str::trim).find(by_signal) {
        return Some(Failure::new(Code::ReaderKilled, format!("The reader was ended on the device: {}", quoted(line))));
    }
    let line = exception(output)?;
    Some(Failure::new(Code::ReaderKilled, format!("The reader crashed while it walked the screen: {}", quoted(line))))
}

fn missing_file(output: &str) -> Option<Failure> {
    let line = output.lines().find(|line| line.contains("No such file or directory"))?;
    Some(Failure::new(Code::TreeInvalid, format!("No dump was written: {}", quoted(line))))
}

/// `ERROR: …` in words nobody listed.
fn other_error(output: &str) -> Option<Failure> {
    let line = output.lines().map(str::trim).find(|line| line.starts_with("ERROR:"))?;
    Some(Failure::new(Code::TreeInvalid, format!("The reader failed: {}", quoted(line))))
}
