//! `tap`.

#![expect(dead_code, reason = "read to be checked, then handed on as they came")]

use crate::args::{
    Clamped, ExpectedState, Precondition, VerificationMode, WaitFor, guard_violations, one_target,
};
use crate::outcome::by_success;
use handset_plugin::{Failure, Report, Selector, Session, Step, Violation, code, violation};
use schemars::JsonSchema;
use serde::Deserialize;

/// The arguments of `tap`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(description = "Exactly one of selector and elementId; waitFor only with selector.")]
pub struct Tap {
    selector: Option<Selector>,
    element_id: Option<String>,
    wait_for: Option<WaitFor>,
    verification_mode: Option<VerificationMode>,
    action_timeout_ms: Option<Clamped>,
    verification_timeout_ms: Option<Clamped>,
    expected_state: Option<ExpectedState>,
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
        found.extend(guard_violations(
            self.expected_state.as_ref(),
            self.precondition.as_ref(),
        ));
        found
    }

    fn run(self, session: &Session) -> Result<Report, Failure> {
        by_success(
            session,
            "tap_element",
            session.arguments(),
            code::ACTION_REJECTED,
        )
    }
}
