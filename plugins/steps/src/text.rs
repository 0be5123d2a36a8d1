//! `type_text`, `press_key`.

#![expect(dead_code, reason = "read to be checked, then handed on as they came")]

use crate::args::{Clamped, ExpectedState, Precondition, VerificationMode, not_empty, one_target};
use crate::outcome::by_success;
use handset_plugin::{Failure, Report, Selector, Session, Step, Violation, code};
use schemars::JsonSchema;
use serde::Deserialize;

/// The arguments of `type_text`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(
    description = "At most one of selector and elementId; without either, types into the focus."
)]
pub struct TypeText {
    text: String,
    selector: Option<Selector>,
    element_id: Option<String>,
    /// Clears the field first.
    replace: Option<bool>,
    /// Presses Enter afterwards.
    submit: Option<bool>,
    verification_mode: Option<VerificationMode>,
    action_timeout_ms: Option<Clamped>,
    verification_timeout_ms: Option<Clamped>,
    expected_state: Option<ExpectedState>,
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
        found.extend(
            self.expected_state
                .iter()
                .flat_map(ExpectedState::violations),
        );
        found.extend(self.precondition.iter().flat_map(Precondition::violations));
        found
    }

    fn run(self, session: &Session) -> Result<Report, Failure> {
        by_success(
            session,
            "type_text",
            session.arguments(),
            code::ACTION_REJECTED,
        )
    }
}

/// The arguments of `press_key`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(description = "")]
pub struct PressKey {
    /// The key's name, as the press_key tool takes it.
    #[schemars(length(min = 1))]
    key: String,
    verification_mode: Option<VerificationMode>,
    action_timeout_ms: Option<Clamped>,
    verification_timeout_ms: Option<Clamped>,
    expected_state: Option<ExpectedState>,
    precondition: Option<Precondition>,
}

impl Step for PressKey {
    const NAME: &str = "press_key";
    const SUMMARY: &str = "Presses a key; passes when it was dispatched.";
    const GRANTS: &[&str] = &["input:press_key"];

    fn validate(&self) -> Vec<Violation> {
        let mut found = not_empty("key", &self.key);
        found.extend(
            self.expected_state
                .iter()
                .flat_map(ExpectedState::violations),
        );
        found.extend(self.precondition.iter().flat_map(Precondition::violations));
        found
    }

    fn run(self, session: &Session) -> Result<Report, Failure> {
        by_success(
            session,
            "press_key",
            session.arguments(),
            code::ACTION_REJECTED,
        )
    }
}
