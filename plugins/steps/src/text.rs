//! `type_text`.

#![expect(dead_code, reason = "read to be checked, then handed on as they came")]

use crate::args::{Clamped, ExpectedState, Precondition, VerificationMode, guard_violations};
use crate::outcome::by_success;
use handset_plugin::{Failure, Report, Session, Step, Violation, code};
use schemars::JsonSchema;
use serde::Deserialize;

/// The arguments of `type_text`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(description = "Typed into whatever has the focus.")]
pub struct TypeText {
    #[schemars(length(min = 1))]
    text: String,
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
        guard_violations(self.expected_state.as_ref(), self.precondition.as_ref())
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
