//! Starting apps: `am start -W` and `cmd package resolve-activity`.

use super::trace::{exception, without_noise};
use super::{Refusal, quoted};
use crate::{Code, Failure};

/// What `am start -W` answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartResult {
    /// `Activity:` it ended in.
    pub activity: Option<String>,
    /// `TotalTime:` in ms.
    pub total_time_ms: Option<u64>,
    /// `Status:`, such as `ok` or `timeout`.
    pub status: Option<String>,
    /// `LaunchState:`, such as `COLD`; Android 10 and later.
    pub launch_state: Option<String>,
    /// True when nothing was launched because the app was there already and was brought to the front.
    pub already_running: bool,
}

/// Lines that refuse. `Warning:` lines do not: they say that the app was in front already.
const REFUSALS: [&str; 6] =
    ["Error:", "Error type", "Permission Denial", "Security exception", "Exception occurred", "Bad component name"];

/// Words of refusals that come before anything is started.
const BEFORE: [&str; 6] = [
    "does not exist",
    "unable to resolve",
    "Activity not started",
    "Permission Denial",
    "Error type",
    "Bad component name",
];

/// Parses `am start -W`. What has its `Status:` or `Complete` was started, whatever a vendor's framework printed beside it.
///
/// # Errors
/// `ACTION_REJECTED` with the device's own words for `Error: …`, `Error type 3`, SecurityException, ….
pub fn parse_am_start(output: &str) -> Result<StartResult, Refusal> {
    let output = &without_noise(output);
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    let done = lines().any(|line| line.starts_with("Status:") || line == "Complete");
    if !done {
        let refused: Vec<&str> = lines().filter(|line| REFUSALS.iter().any(|start| line.starts_with(start))).collect();
        if !refused.is_empty() {
            return Err(rejected(&refused.join(" ")));
        }
        if let Some(line) = exception(output) {
            return Err(rejected(line));
        }
        if !lines().any(|line| line.starts_with("Starting:")) {
            return Err(rejected(lines().next().unwrap_or("nothing was printed")));
        }
    }
    let value = |name: &str| lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned());
    Ok(StartResult {
        activity: value("Activity:"),
        total_time_ms: value("TotalTime:").and_then(|time| time.parse().ok()),
        status: value("Status:"),
        launch_state: value("LaunchState:"),
        already_running: lines().any(|line| line.starts_with("Warning: Activity not started")),
    })
}

fn rejected(words: &str) -> Refusal {
    let failure = Failure::new(Code::ActionRejected, format!("The device did not start it: {}", quoted(words)));
    let not_found = ["am: not found", "am: inaccessible or not found"].iter().any(|end| words.ends_with(end));
    Refusal { failure, nothing_done: not_found || BEFORE.iter().any(|before| words.contains(before)) }
}

/// The component from `cmd package resolve-activity --brief`, as `pkg/activity`.
///
/// The system's resolver and chooser are no answer: they stand for "several could open it".
#[must_use]
pub fn parse_resolved_activity(output: &str) -> Option<String> {
    let component = |line: &&str| {
        line.split_once('/').is_some_and(|(package, activity)| {
            package.contains(|character: char| character.is_ascii_alphabetic())
                && !activity.is_empty()
                && !line.contains(|character: char| character.is_whitespace() || matches!(character, ':' | '='))
        })
    };
    let found = output.lines().map(str::trim).rfind(component)?;
    let chooser =
        found.starts_with("android/") && (found.contains("ResolverActivity") || found.contains("ChooserActivity"));
    (!chooser).then(|| found.to_owned())
}
