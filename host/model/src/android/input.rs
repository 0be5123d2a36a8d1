//! What `input` prints; with an error, too, its exit status may be 0.

use super::quoted;
use super::trace::exception;
use crate::{Code, Failure};

/// Signs that an exception was about text the key map has no keys for.
const OF_TEXT: [&str; 4] = ["executing 'text'", "sendText", "KeyCharacterMap", "null array"];

/// Beginnings of lines that refuse the command as written.
const REFUSALS: [&str; 5] = ["Error:", "Usage: input", "usage: input", "Invalid arguments", "Unknown command"];

/// Types what `input` printed, also with exit 0: INPUT_DENIED, UNSUPPORTED_TEXT, ACTION_REJECTED.
#[must_use]
pub fn classify_input_error(output: &str) -> Option<Failure> {
    let line_with = |words: &str| output.lines().find(|line| line.contains(words));
    if let Some(line) = line_with("INJECT_EVENTS") {
        return Some(Failure::new(Code::InputDenied, format!("The device denies input: {}", quoted(line))));
    }
    if let Some(line) = line_with("inaccessible or not found").or_else(|| line_with("input: not found")) {
        return Some(Failure::new(Code::Unsupported, format!("The device has no input command: {}", quoted(line))));
    }
    if let Some(line) = exception(output) {
        if output.contains("NullPointerException") && OF_TEXT.iter().any(|sign| output.contains(sign)) {
            let message = format!("The device's key map has no keys for this text: {}", quoted(line));
            return Some(Failure::new(Code::UnsupportedText, message));
        }
        return Some(Failure::new(Code::ActionRejected, format!("The input command failed: {}", quoted(line))));
    }
    let refused = |line: &&str| REFUSALS.iter().any(|start| line.starts_with(start)) || *line == "Killed";
    let line = output.lines().map(str::trim).find(refused)?;
    Some(Failure::new(Code::ActionRejected, format!("The device refused the input: {}", quoted(line))))
}
