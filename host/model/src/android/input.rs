//! What `input` prints; with an error, too, its exit status may be 0, and without one it may print anything.

use super::trace::{exception, without_noise};
use super::{Refusal, quoted};
use crate::{Code, Failure};

/// Signs that an exception was about text the key map has no keys for.
const OF_TEXT: [&str; 4] = ["executing 'text'", "sendText", "KeyCharacterMap", "null array"];

/// Beginnings of lines by which `input` itself refuses the command as written. Not every `Error:` is one of its own.
const GRAMMAR: [&str; 8] = [
    "Error: Unknown command",
    "Error: Invalid argument",
    "Error: Argument expected",
    "Error: Invalid display",
    "Invalid arguments for command",
    "Unknown command",
    "Usage: input",
    "usage: input",
];

/// Types what `input` printed: INPUT_DENIED, UNSUPPORTED_TEXT, UNSUPPORTED, ACTION_REJECTED.
///
/// With exit status 0 only words that are known to mean "not injected" refuse: vendors' frameworks print traces and
/// errors of their own under an input that is delivered.
#[must_use]
pub fn classify_input(output: &str, status: i32) -> Option<Refusal> {
    let output = without_noise(output);
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    let never = |code, message: String| Some(Refusal { failure: Failure::new(code, message), nothing_done: true });
    let perhaps =
        |message: String| Some(Refusal { failure: Failure::new(Code::ActionRejected, message), nothing_done: false });
    if let Some(line) = lines().find(|line| line.contains("INJECT_EVENTS")) {
        return never(Code::InputDenied, format!("The device denies input: {}", quoted(line)));
    }
    let thrown = exception(&output);
    if let Some(line) = thrown
        && output.contains("NullPointerException")
        && OF_TEXT.iter().any(|sign| output.contains(sign))
    {
        return never(
            Code::UnsupportedText,
            format!("The device's key map has no keys for this text: {}", quoted(line)),
        );
    }
    if let Some(line) = lines().find(|line| GRAMMAR.iter().any(|start| line.starts_with(start))) {
        return never(Code::ActionRejected, format!("The device refused the input: {}", quoted(line)));
    }
    let failed =
        |line: &&str| line.starts_with("Exception occurred while executing") || line.contains("SecurityException");
    if let Some(line) = lines().find(failed) {
        return perhaps(format!("The input command failed: {}", quoted(line)));
    }
    match status {
        0 => None,
        126 | 127 => {
            let said = lines().next_back().unwrap_or("it cannot be run");
            never(Code::Unsupported, format!("This needs the device's input command: {}", quoted(said)))
        }
        129.. => perhaps(format!("The input command was ended on the device, with status {status}")),
        _ => {
            let said =
                thrown.or_else(|| lines().find(|line| line.starts_with("Error"))).or_else(|| lines().next_back());
            perhaps(format!(
                "The input command failed with status {status}: {}",
                quoted(said.unwrap_or("it said nothing"))
            ))
        }
    }
}
