//! The one device a step works on.

use crate::Selector;
use crate::bindings::step::handset::plugin::device::{
    Answer, Failure, Found, Session as Handle, WaitOptions,
};
use crate::bindings::step::handset::plugin::ui::{Evidence, Observation};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Failure codes of the tool contract that plugins use often.
pub mod code {
    /// Nothing on the screen is what the selector means.
    pub const ELEMENT_NOT_FOUND: &str = "ELEMENT_NOT_FOUND";
    /// A wait ran out.
    pub const TIMEOUT: &str = "TIMEOUT";
    /// An input ran out.
    pub const ACTION_TIMEOUT: &str = "ACTION_TIMEOUT";
    /// The device or the app refused.
    pub const ACTION_REJECTED: &str = "ACTION_REJECTED";
    /// An assertion did not come true in time.
    pub const ASSERTION_TIMEOUT: &str = "ASSERTION_TIMEOUT";
    /// A state other than the expected one.
    pub const EXPECT_STATE_MISMATCH: &str = "EXPECT_STATE_MISMATCH";
    /// The arguments are wrong.
    pub const INVALID_ARGUMENT: &str = "INVALID_ARGUMENT";
    /// None of the others.
    pub const UNKNOWN: &str = "UNKNOWN";
}

/// What a wait waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// An element is there.
    Exists,
    /// No element is there, in two reads.
    NotExists,
    /// An element is there and on the screen.
    Visible,
    /// An element is there and can be tapped.
    Clickable,
}

impl Condition {
    /// Its name in the contract.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exists => "exists",
            Self::NotExists => "not_exists",
            Self::Visible => "visible",
            Self::Clickable => "clickable",
        }
    }
}

/// How long a wait waits and how often it looks; what is not said is the host's default.
pub type Wait = WaitOptions;

impl Wait {
    /// At most this long.
    #[must_use]
    pub fn for_ms(timeout_ms: u32) -> Self {
        Self {
            timeout_ms: Some(timeout_ms),
            poll_interval_ms: None,
            index: None,
        }
    }

    /// Looking this often.
    #[must_use]
    pub fn every_ms(mut self, poll_interval_ms: u32) -> Self {
        self.poll_interval_ms = Some(poll_interval_ms);
        self
    }
}

/// The device a step works on. Every call is recorded, bounded by the step's budget, and refused
/// unless the operator granted it.
pub struct Session<'a> {
    handle: &'a Handle,
    arguments: &'a str,
}

impl<'a> Session<'a> {
    #[doc(hidden)]
    #[must_use]
    pub fn new(handle: &'a Handle, arguments: &'a str) -> Self {
        Self { handle, arguments }
    }

    /// The step's own arguments as they came, for a step that hands them on to a tool.
    #[must_use]
    pub fn arguments(&self) -> &'a str {
        self.arguments
    }

    /// `android`, `ios`, …
    #[must_use]
    pub fn platform(&self) -> String {
        self.handle.platform()
    }

    /// Milliseconds left for this step.
    #[must_use]
    pub fn remaining_ms(&self) -> u32 {
        self.handle.remaining_ms()
    }

    /// Reads the screen once.
    ///
    /// # Errors
    /// The read failed, or `observe` is not granted.
    pub fn observe(&self) -> Result<Observation, Failure> {
        self.handle.observe()
    }

    /// Waits until the screen shows, or no longer shows, what `selector` means.
    ///
    /// # Errors
    /// `TIMEOUT` when the time is up; any failure of the reads.
    pub fn wait_for(
        &self,
        selector: &Selector,
        condition: Condition,
        wait: Wait,
    ) -> Result<Found, Failure> {
        self.handle
            .wait_for(&selector.to_json(), condition.as_str(), wait)
    }

    /// Waits until the screen's fingerprint is `fingerprint`, in two reads.
    ///
    /// # Errors
    /// `TIMEOUT` when the time is up; any failure of the reads.
    pub fn wait_for_screen(&self, fingerprint: &str, wait: Wait) -> Result<Observation, Failure> {
        self.handle.wait_for_screen(fingerprint, wait)
    }

    /// Calls a tool of the contract and hands back its answer, successful or not.
    ///
    /// # Errors
    /// The tool gave no answer: refused arguments, no grant, no device, no time left.
    pub fn call(&self, tool: &str, arguments: &impl Serialize) -> Result<Answer, Failure> {
        let arguments = serde_json::to_string(arguments)
            .map_err(|error| Failure::new(code::INVALID_ARGUMENT, error.to_string()))?;
        self.call_json(tool, &arguments)
    }

    /// The same with arguments that are JSON already.
    ///
    /// # Errors
    /// As [`Session::call`].
    pub fn call_json(&self, tool: &str, arguments: &str) -> Result<Answer, Failure> {
        self.handle.call(tool, arguments)
    }

    /// Calls a tool and takes an unsuccessful answer for a failure, so that `?` ends the step.
    ///
    /// # Errors
    /// As [`Session::call`], and the failure code of an unsuccessful answer.
    pub fn perform(&self, tool: &str, arguments: &impl Serialize) -> Result<Answer, Failure> {
        let answer = self.call(tool, arguments)?;
        if answer.success {
            return Ok(answer);
        }
        Err(answer.failure(tool))
    }

    /// Taps what `selector` means, verified lightly: that the tap had its effect is for a wait that
    /// follows to say.
    ///
    /// # Errors
    /// As [`Session::perform`]; needs the grant `input:tap_element`.
    pub fn tap(&self, selector: &Selector) -> Result<Answer, Failure> {
        self.perform(
            "tap_element",
            &json!({ "selector": selector, "verificationMode": "light" }),
        )
    }

    /// Types into whatever has the focus, verified lightly.
    ///
    /// # Errors
    /// As [`Session::perform`]; needs the grant `input:type_text`.
    pub fn type_text(&self, text: &str) -> Result<Answer, Failure> {
        self.perform(
            "type_text",
            &json!({ "text": text, "verificationMode": "light" }),
        )
    }

    /// Shown to the client as progress of this step.
    pub fn progress(&self, message: &str) {
        self.handle.progress(message);
    }

    /// Adds to the recorded evidence before the step is over.
    pub fn note(&self, evidence: &Evidence) {
        self.handle.note(evidence);
    }
}

impl Failure {
    /// A failure by its code; not to be tried again as it is.
    #[must_use]
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            retryable: false,
        }
    }
}

impl Answer {
    /// The answer's body, read as `T`.
    ///
    /// # Errors
    /// What serde says when it does not fit `T`.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, String> {
        serde_json::from_str(&self.body).map_err(|error| error.to_string())
    }

    /// An unsuccessful answer as a failure: its code, and the host's words where it has some.
    #[must_use]
    pub fn failure(&self, tool: &str) -> Failure {
        let body: Value = self.read().unwrap_or_default();
        let said = ["/error/message", "/reason"]
            .iter()
            .find_map(|at| body.pointer(at)?.as_str());
        let message = said.map_or_else(|| format!("{tool} did not succeed"), str::to_owned);
        Failure::new(
            self.failure_code.as_deref().unwrap_or(code::UNKNOWN),
            message,
        )
    }
}
