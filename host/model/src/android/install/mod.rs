//! What `adb install` and `adb install-multiple` print, old forms and new: only a line that says so is a success.

mod reasons;

pub use reasons::{REASONS, remedy_of};

use super::quoted;
use super::trace::{exception, without_noise};
use crate::{Code, Failure};

/// How an install came out.
#[derive(Clone, Debug, PartialEq)]
pub enum InstallEnd {
    /// Android said `Success`.
    Installed,
    /// Android, or adb before it, refused: nothing was installed.
    Refused(Failure),
    /// Neither was said.
    Unseen,
}

/// adb's own words about a file it cannot send.
const LOCAL: [&str; 5] =
    ["failed to stat ", "filename doesn't end ", "failed to open ", "need APK file", "expected one argument"];

/// Words of a device that takes no packages now or never, with what to do.
const WORDS: &[(&str, &str)] = &[
    ("Can't find service: package", "The device is still starting: wait until it has, then repeat."),
    ("Could not access the Package Manager", "The device is still starting: wait until it has, then repeat."),
    ("INSTALL_PACKAGES", "Turn on \"Install via USB\" in the device's developer options, then repeat."),
    (
        "Shell does not have permission to access user",
        "Pass a user that adb may act for: see the device's pm list users.",
    ),
    ("No space left on device", "Free storage on the device, then repeat."),
    ("not enough space", "Free storage on the device, then repeat."),
    ("Unknown option", "This Android does not know an option of the install: leave user out."),
];

/// Judges all that an install printed, both streams. The last verdict counts: adb tries a second way after a first that failed.
#[must_use]
pub fn parse_install(output: &str) -> InstallEnd {
    let output = &without_noise(output);
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    let verdict = lines().rfind(|line| *line == "Success" || refuses(line));
    match verdict {
        Some("Success") => return InstallEnd::Installed,
        Some(line) => return InstallEnd::Refused(refusal(line)),
        None => {}
    }
    let local = lines().find(|line| line.starts_with("adb: ") && LOCAL.iter().any(|words| line.contains(words)));
    if let Some(line) = local {
        let failure = Failure::new(Code::ActionRejected, format!("adb did not send it: {}", quoted(line)));
        return InstallEnd::Refused(failure.with_remedy("Pass the path of an APK that can be read."));
    }
    let said = lines().find(|line| line.starts_with("Error: ") || WORDS.iter().any(|(words, _)| line.contains(words)));
    match said.or_else(|| exception(output)) {
        Some(line) => InstallEnd::Refused(refusal(line)),
        None => InstallEnd::Unseen,
    }
}

/// `Failure [REASON: words]`, also behind adb's `adb: failed to install x.apk: `.
fn refuses(line: &str) -> bool {
    line.contains("Failure [") || line == "Failure" || reason(line).is_some()
}

/// Android's own name of a reason: `INSTALL_FAILED_…`, `INSTALL_PARSE_FAILED_…`, ….
fn reason(line: &str) -> Option<&str> {
    let at = line.find("INSTALL_")?;
    let rest = line.get(at..)?;
    let end = rest.find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')).unwrap_or(rest.len());
    let name = rest.get(..end)?;
    (name.contains("FAILED") || name.contains("CANCEL") || remedy_of(name).is_some()).then_some(name)
}

fn refusal(line: &str) -> Failure {
    let words = line.split_once("Failure [").map_or(line, |(_, words)| words.trim_end_matches(']'));
    let failure = Failure::new(Code::ActionRejected, format!("Android did not install it: {}", quoted(words)));
    let known = reason(line)
        .and_then(remedy_of)
        .or_else(|| WORDS.iter().find(|(words, _)| line.contains(words)).map(|(_, remedy)| *remedy));
    match known {
        Some(remedy) => failure.with_remedy(remedy),
        None => failure.with_remedy("Read Android's reason in the message; get more of it from the device's log."),
    }
}
