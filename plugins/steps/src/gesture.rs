//! `press_back`, `press_key`, `swipe`.

#![expect(dead_code, reason = "read to be checked, then handed on as they came")]

use crate::args::{
    Clamped, ExpectedState, Precondition, VerificationMode, guard_violations, not_empty,
};
use crate::outcome::by_success;
use handset_plugin::{Failure, Report, Session, Step, Violation, code};
use schemars::JsonSchema;
use serde::Deserialize;

/// The arguments of `press_back`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(description = "")]
pub struct PressBack {
    verification_mode: Option<VerificationMode>,
    action_timeout_ms: Option<Clamped>,
    verification_timeout_ms: Option<Clamped>,
    expected_state: Option<ExpectedState>,
    precondition: Option<Precondition>,
}

impl Step for PressBack {
    const NAME: &str = "press_back";
    const SUMMARY: &str = "Presses Back; passes when it was dispatched.";
    const GRANTS: &[&str] = &["input:press_back"];

    fn validate(&self) -> Vec<Violation> {
        guard_violations(self.expected_state.as_ref(), self.precondition.as_ref())
    }

    fn run(self, session: &Session) -> Result<Report, Failure> {
        by_success(
            session,
            "press_back",
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
    /// As the tool of this name takes it.
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
        found.extend(guard_violations(
            self.expected_state.as_ref(),
            self.precondition.as_ref(),
        ));
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

/// The arguments of `swipe`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(description = "From one point to another, in device pixels.")]
pub struct Swipe {
    #[schemars(range(min = 0, max = 100_000))]
    x1: u32,
    #[schemars(range(min = 0, max = 100_000))]
    y1: u32,
    #[schemars(range(min = 0, max = 100_000))]
    x2: u32,
    #[schemars(range(min = 0, max = 100_000))]
    y2: u32,
    /// Milliseconds; 300 unless given.
    #[schemars(range(min = 1, max = 10_000))]
    duration: Option<u32>,
    verification_mode: Option<VerificationMode>,
    action_timeout_ms: Option<Clamped>,
    verification_timeout_ms: Option<Clamped>,
    expected_state: Option<ExpectedState>,
    precondition: Option<Precondition>,
}

impl Step for Swipe {
    const NAME: &str = "swipe";
    const SUMMARY: &str = "Swipes from one point to another; passes when it was dispatched.";
    const GRANTS: &[&str] = &["input:swipe"];

    fn validate(&self) -> Vec<Violation> {
        guard_violations(self.expected_state.as_ref(), self.precondition.as_ref())
    }

    fn run(self, session: &Session) -> Result<Report, Failure> {
        by_success(session, "swipe", session.arguments(), code::ACTION_REJECTED)
    }
}
