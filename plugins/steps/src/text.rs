//! `type_text`, `press_key`.

use crate::args::{
    Clamped, ExpectedState, Precondition, VerificationMode, not_empty, one_target,
};
use crate::outcome::by_success;
use handset_plugin::{Failure, Report, Selector, Session, Step, Violation, code};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The arguments of `type_text`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(description = "At most one of selector and elementId; without either, types into the focus.")]
pub struct TypeText {
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    selector: Option<Selector>,
    #[serde(skip_serializing_if = "Option::is_none")]
    element_id: Option<String>,
    /// Clears the field first.
    #[serde(skip_serializing_if = "Option::is_none")]
    replace: Option<bool>,
    /// Presses Enter afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    submit: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification_mode: Option<VerificationMode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    action_timeout_ms: Option<Clamped>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification_timeout_ms: Option<Clamped>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_state: Option<ExpectedState>,
    #[serde(skip_serializing_if = "Option::is_none")]
    precondition: Option<Precondition>,
}

impl Step for TypeText {
    const NAME: &str = "type_text";
    const SUMMARY: &str = "Types text; passes when it was dispatched.";
    const GRANTS: &[&str] = &["input:type_text"];

    fn validate(&self) -> Vec<Violation> {
        let mut found = match (&self.selector, &self.element_id) {
            (None, None) => Vec::new(),
            (selector, id) => one_target("", selector.as_ref(), id.as_deref()),
        };
        found.extend(self.expected_state.iter().flat_map(ExpectedState::violations));
        found.extend(self.precondition.iter().flat_map(Precondition::violations));
        found
    }

    fn run(self, session: &Session) -> Result<Report, Failure> {
        by_success(session, "type_text", &self, code::ACTION_REJECTED)
    }
}

/// The arguments of `press_key`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(description = "")]
pub struct PressKey {
    /// The key's name, as the press_key tool takes it.
    #[schemars(length(min = 1))]
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification_mode: Option<VerificationMode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    action_timeout_ms: Option<Clamped>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification_timeout_ms: Option<Clamped>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_state: Option<ExpectedState>,
    #[serde(skip_serializing_if = "Option::is_none")]
    precondition: Option<Precondition>,
}

impl Step for PressKey {
    const NAME: &str = "press_key";
    const SUMMARY: &str = "Presses a key; passes when it was dispatched.";
    const GRANTS: &[&str] = &["input:press_key"];

    fn validate(&self) -> Vec<Violation> {
        let mut found = not_empty("key", &self.key);
        found.extend(self.expected_state.iter().flat_map(ExpectedState::violations));
        found.extend(self.precondition.iter().flat_map(Precondition::violations));
        found
    }

    fn run(self, session: &Session) -> Result<Report, Failure> {
        by_success(session, "press_key", &self, code::ACTION_REJECTED)
    }
}
