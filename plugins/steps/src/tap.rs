//! `tap`.

use crate::args::{Clamped, ExpectedState, Precondition, VerificationMode, WaitFor, one_target};
use crate::outcome::by_success;
use handset_plugin::{Failure, Report, Selector, Session, Step, Violation, code, violation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The arguments of `tap`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(description = "Exactly one of selector and elementId; waitFor only with selector.")]
pub struct Tap {
    #[serde(skip_serializing_if = "Option::is_none")]
    selector: Option<Selector>,
    #[serde(skip_serializing_if = "Option::is_none")]
    element_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wait_for: Option<WaitFor>,
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

impl Step for Tap {
    const NAME: &str = "tap";
    const SUMMARY: &str = "Taps an element; passes when the tap was dispatched.";
    const GRANTS: &[&str] = &["input:tap_element"];

    fn validate(&self) -> Vec<Violation> {
        let mut found = one_target("", self.selector.as_ref(), self.element_id.as_deref());
        if self.wait_for.is_some() && self.selector.is_none() {
            found.push(violation("waitFor", "needs a selector to wait for"));
        }
        found.extend(self.expected_state.iter().flat_map(ExpectedState::violations));
        found.extend(self.precondition.iter().flat_map(Precondition::violations));
        found
    }

    fn run(self, session: &Session) -> Result<Report, Failure> {
        by_success(session, "tap_element", &self, code::ACTION_REJECTED)
    }
}
