//! Parsers of what `adb` and Android's own commands print. Total: any bytes in, a value or a typed failure out.

use crate::ui::Size;
use crate::{Code, Failure};

/// A device's state as `adb devices` names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceState {
    /// Usable.
    Device,
    /// Any other: `offline`, `unauthorized`, `authorizing`, `no permissions`, `recovery`, `sideload`, …
    Other(String),
}

/// One line of `adb devices -l`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedDevice {
    /// Serial; may hold colons, dots and spaces.
    pub serial: String,
    /// State.
    pub state: DeviceState,
    /// `transport_id:` where given.
    pub transport_id: Option<u64>,
    /// `model:` where given.
    pub model: Option<String>,
    /// `product:` where given.
    pub product: Option<String>,
}

/// Parses `adb devices -l`, whatever server chatter stands around the list.
#[must_use]
pub fn parse_devices(stdout: &str) -> Vec<ListedDevice> {
    let _ = stdout;
    Vec::new()
}

/// What to do about a device in this state, in one sentence.
#[must_use]
pub fn state_remedy(state: &DeviceState) -> &'static str {
    let _ = state;
    ""
}

/// The display size from `wm size`: the override where there is one.
#[must_use]
pub fn parse_wm_size(text: &str) -> Option<Size> {
    let _ = text;
    None
}

/// `(package, full activity name)` in front, from `dumpsys activity activities` or `dumpsys window` of Android 4–16.
#[must_use]
pub fn parse_resumed_activity(text: &str) -> Option<(String, String)> {
    let _ = text;
    None
}

/// Keyboard shown, from `dumpsys input_method`.
#[must_use]
pub fn parse_keyboard_shown(text: &str) -> Option<bool> {
    let _ = text;
    None
}

/// Types what adb itself said on stderr (device gone, offline, unauthorized, several, no server, version clash, …);
/// `None` when the text is not adb's own.
#[must_use]
pub fn classify_adb_error(stderr: &str) -> Option<Failure> {
    let _ = stderr;
    None
}

/// Types what the dump command printed instead of, or beside, a tree (both streams): NOT_IDLE, NULL_ROOT, SLOT_BUSY, READER_KILLED, …
#[must_use]
pub fn classify_dump_error(output: &str) -> Option<Failure> {
    let _ = output;
    None
}

/// Types what `input` printed, also with exit 0: INPUT_DENIED, UNSUPPORTED_TEXT, ACTION_REJECTED.
#[must_use]
pub fn classify_input_error(output: &str) -> Option<Failure> {
    let _ = output;
    None
}

/// What `am start -W` answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartResult {
    /// `Activity:` it ended in.
    pub activity: Option<String>,
    /// `TotalTime:` in ms.
    pub total_time_ms: Option<u64>,
    /// `LaunchState:`, `Status:`.
    pub status: Option<String>,
}

/// Parses `am start -W`.
///
/// # Errors
/// `ACTION_REJECTED` with the device's own words for `Error: …`, `Error type 3`, SecurityException, ….
pub fn parse_am_start(output: &str) -> Result<StartResult, Failure> {
    let _ = output;
    Err(Failure::new(Code::ActionRejected, "not started"))
}

/// The component from `cmd package resolve-activity --brief`, as `pkg/activity`.
#[must_use]
pub fn parse_resolved_activity(output: &str) -> Option<String> {
    let _ = output;
    None
}

/// Quotes one word for the device's shell (mksh): the one function that does.
#[must_use]
pub fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
