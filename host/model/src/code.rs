//! The failure codes an agent can act on, each with its one remedy, and the error object that carries them.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $text:literal, $retryable:literal, $remedy:literal;)*) => {
        /// A stable failure code of the tool contract.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code { $($(#[doc = $doc])* $name,)* }

        impl Code {
            /// Every code, in the order of the contract.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The name on the wire, such as `ELEMENT_NOT_FOUND`.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Code::$name => $text,)* } }

            /// What to do about it, in one sentence.
            #[must_use]
            pub const fn remedy(self) -> &'static str { match self { $(Code::$name => $remedy,)* } }

            /// Whether the same call may succeed when simply sent again.
            #[must_use]
            pub const fn retryable(self) -> bool { match self { $(Code::$name => $retryable,)* } }

            /// The code named `text`, if there is one.
            #[must_use]
            pub fn from_name(text: &str) -> Option<Code> { match text { $($text => Some(Code::$name),)* _ => None } }
        }
    };
}

codes! {
    /// No element matches the selector.
    ElementNotFound = "ELEMENT_NOT_FOUND", true, "Fetch get_ui_tree and choose a selector from it, or wait with waitFor or wait_for_ui.";
    /// The match cannot be tapped: disabled, hidden, or without area on the display.
    ElementNotInteractable = "ELEMENT_NOT_INTERACTABLE", true, "Wait until it is enabled and visible (wait_for_ui condition clickable), or scroll it into view.";
    /// Several elements match.
    AmbiguousTarget = "AMBIGUOUS_TARGET", false, "Narrow the selector with resource_id, role or within, or pick a candidate by its elementId.";
    /// An elementId whose node is no longer there as it was.
    StaleReference = "STALE_REFERENCE", false, "Fetch the tree again and use a fresh elementId, or a selector.";
    /// The action's own time ran out.
    ActionTimeout = "ACTION_TIMEOUT", false, "If dispatch_started is false, raise actionTimeoutMs and repeat; if true, look at the screen before repeating.";
    /// The device refused the action.
    ActionRejected = "ACTION_REJECTED", false, "Read the message: the app, activity or argument was refused by the device.";
    /// A read or a wait ran out of time.
    Timeout = "TIMEOUT", true, "Raise the timeout, or check the device with get_system_status.";
    /// An assertion's time ran out before its evidence was complete.
    AssertionTimeout = "ASSERTION_TIMEOUT", true, "Compare the reported last value with what was expected; raise timeoutMs if reads are slow.";
    /// The screen did not change.
    NavigationNoChange = "NAVIGATION_NO_CHANGE", true, "Check that the input hit its target, then wait longer.";
    /// The app was not in front after it was started.
    VerificationFailed = "VERIFICATION_FAILED", true, "Look at the screen: another app, a crash or a permission dialog may be in front.";
    /// The observed state differs from the expected one.
    ExpectStateMismatch = "EXPECT_STATE_MISMATCH", false, "Act on observed_state, or wait for the change first.";
    /// A control would not reach its target value.
    ControlConvergenceFailed = "CONTROL_CONVERGENCE_FAILED", false, "Raise tolerance or maxAttempts, or set the value another way.";
    /// The control is not of the kind asked for.
    SemanticMismatch = "SEMANTIC_MISMATCH", false, "Choose an element whose role and value fit the property.";
    /// A guard found another screen than expected: nothing was sent.
    PreconditionFailed = "PRECONDITION_FAILED", false, "Decide again on condition.observed, the screen that blocked the input.";
    /// A guard could not be decided: nothing was sent.
    PreconditionUnavailable = "PRECONDITION_UNAVAILABLE", false, "Fetch get_ui_tree for a new session and revision, then repeat with those.";
    /// An argument is wrong.
    InvalidArgument = "INVALID_ARGUMENT", false, "Correct the named member; the tool's input schema lists what it takes.";
    /// A fault of ours.
    Unknown = "UNKNOWN", false, "This is a fault in Handset: report it with the log from stderr; other requests still work.";
    /// The device named is not attached.
    DeviceNotFound = "DEVICE_NOT_FOUND", false, "Attach or start a device, or pass one of the listed ids as deviceId.";
    /// Several devices, none named.
    AmbiguousDevice = "AMBIGUOUS_DEVICE", false, "Pass deviceId with one of the listed ids, or set ANDROID_SERIAL.";
    /// The device is attached but cannot be used, or was lost.
    DeviceOffline = "DEVICE_OFFLINE", true, "Check the cable or network and the authorisation dialog on the device, then try list_devices.";
    /// The keyguard is showing.
    DeviceLocked = "DEVICE_LOCKED", false, "Unlock the device, then repeat.";
    /// The display is off.
    ScreenOff = "SCREEN_OFF", false, "Wake the display, then repeat.";
    /// A program that Handset spawns is missing.
    ToolNotFound = "TOOL_NOT_FOUND", false, "Install Android platform-tools, or point HANDSET_ADB or [android] adb in the config at adb.";
    /// Another adb version's server is running.
    AdbVersionConflict = "ADB_VERSION_CONFLICT", false, "Use one adb for all tools: point HANDSET_ADB at the version whose server is running.";
    /// The screen never came to rest, so no tree could be read.
    NotIdle = "NOT_IDLE", true, "Pause the animation or video, or turn off animations in developer options, then repeat.";
    /// The accessibility root was null.
    NullRoot = "NULL_ROOT", true, "The screen is changing or not accessible: try again in a moment.";
    /// Another client holds the device's one UiAutomation connection.
    SlotBusy = "SLOT_BUSY", true, "Stop the other UI automation (Appium, Maestro, uiautomator2, an instrumentation test), then repeat.";
    /// The reader was killed or crashed on the device.
    ReaderKilled = "READER_KILLED", true, "Try again; if it persists, free memory on the device.";
    /// What came back is no tree.
    TreeInvalid = "TREE_INVALID", true, "Try again; the message says what was read instead of a tree.";
    /// The tree was cut off.
    TreeTruncated = "TREE_TRUNCATED", true, "Try again; check the connection if it persists.";
    /// The platform, version or connection cannot do this.
    Unsupported = "UNSUPPORTED", false, "See needs in the message; choose another tool.";
    /// The text cannot be typed by the device's input command.
    UnsupportedText = "UNSUPPORTED_TEXT", false, "Keep to printable ASCII, or install an input method that takes Unicode.";
    /// The device denies input injection.
    InputDenied = "INPUT_DENIED", false, "Turn on \"USB debugging (Security settings)\" in developer options, then repeat.";
    /// The window refuses to be captured.
    SecureWindow = "SECURE_WINDOW", false, "Use the tree instead of a screenshot.";
    /// The accessibility bridge is not ready.
    AxNotReady = "AX_NOT_READY", true, "Wait a moment and repeat; restart the simulator if it persists.";
    /// Something covers the target.
    Covered = "COVERED", false, "Dismiss what covers it (keyboard, dialog) or scroll, then repeat.";
    /// No field has the focus.
    NothingFocused = "NOTHING_FOCUSED", false, "Tap a text field first.";
    /// A plugin broke.
    PluginFault = "PLUGIN_FAULT", false, "See list_plugins for the fault; fix or disable that plugin.";
    /// The operator did not grant this.
    PluginDenied = "PLUGIN_DENIED", false, "Grant it in the host's config under [plugins.NAME] grants.";
    /// The request was cancelled.
    Cancelled = "CANCELLED", false, "Nothing to do: the client cancelled the request.";
    /// Logs could not be read.
    LogsUnavailable = "LOGS_UNAVAILABLE", true, "Check the device with get_system_status.";
    /// A log filter is wrong.
    InvalidFilter = "INVALID_FILTER", false, "Correct the named filter.";
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// At most this many candidates are shown with an error (contract §4).
pub const MAX_CANDIDATES: usize = 5;

/// A typed failure: what an agent sees as the contract's error object.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct Failure {
    /// The stable code.
    pub code: Code,
    /// One sentence, naming what was wrong.
    pub message: String,
    /// The argument at fault, as a path such as `expectedState.timeoutMs`.
    pub member: Option<String>,
    /// What could be meant instead: at most [`MAX_CANDIDATES`] are shown.
    pub candidates: Vec<Value>,
    /// Replaces the code's own remedy where the case knows better.
    pub remedy: Option<String>,
    /// Replaces the code's own answer to "may the same call be repeated".
    pub retryable: Option<bool>,
}

/// Bytes of a message: it may quote the caller or the device, and stays a sentence.
const SENTENCE: usize = 2_048;

/// A text that is too long for a sentence, cut.
#[must_use]
pub fn sentence(mut text: String) -> String {
    if text.len() > SENTENCE {
        text.truncate(text.floor_char_boundary(SENTENCE));
        text.push('…');
    }
    text
}

impl Failure {
    /// A failure with its code and one sentence.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: sentence(message.into()),
            member: None,
            candidates: Vec::new(),
            remedy: None,
            retryable: None,
        }
    }

    /// A refused argument: `INVALID_ARGUMENT` naming `member`.
    #[must_use]
    pub fn argument(member: impl Into<String>, message: impl Into<String>) -> Self {
        Self { member: Some(sentence(member.into())), ..Self::new(Code::InvalidArgument, message) }
    }

    /// Replaces the remedy.
    #[must_use]
    pub fn with_remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }

    /// Adds what could be meant instead.
    #[must_use]
    pub fn with_candidates(self, candidates: Vec<Value>) -> Self {
        Self { candidates, ..self }
    }

    /// Says whether repeating may help.
    #[must_use]
    pub fn with_retryable(self, retryable: bool) -> Self {
        Self { retryable: Some(retryable), ..self }
    }

    /// Whether the same call may succeed when simply sent again.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.retryable.unwrap_or_else(|| self.code.retryable())
    }

    /// The contract's error object: `{code, message, member?, candidates?, remedy}`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("code".into(), json!(self.code));
        object.insert("message".into(), json!(self.message));
        if let Some(member) = &self.member {
            object.insert("member".into(), json!(member));
        }
        if !self.candidates.is_empty() {
            object.insert("candidates".into(), json!(self.candidates[..self.candidates.len().min(MAX_CANDIDATES)]));
        }
        object.insert("remedy".into(), json!(self.remedy.as_deref().unwrap_or(self.code.remedy())));
        Value::Object(object)
    }
}
