//! `start_app`, `terminate_app`.

#![expect(dead_code, reason = "read to be checked, then handed on as they came")]

use crate::args::{Clamped, VerificationMode, not_empty};
use crate::outcome::by_success;
use handset_plugin::{Failure, Report, Session, Step, Violation, code};
use schemars::JsonSchema;
use serde::Deserialize;

/// The arguments of `start_app`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(description = "")]
pub struct StartApp {
    /// Package, or package/activity.
    #[schemars(length(min = 1))]
    app_id: String,
    verification_mode: Option<VerificationMode>,
    action_timeout_ms: Option<Clamped>,
    verification_timeout_ms: Option<Clamped>,
}

impl Step for StartApp {
    const NAME: &str = "start_app";
    const SUMMARY: &str = "Starts an app; passes when it was started.";
    const GRANTS: &[&str] = &["lifecycle:start_app"];

    fn validate(&self) -> Vec<Violation> {
        not_empty("appId", &self.app_id)
    }

    fn run(self, session: &Session) -> Result<Report, Failure> {
        by_success(
            session,
            "start_app",
            session.arguments(),
            code::ACTION_REJECTED,
        )
    }
}

/// The arguments of `terminate_app`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(description = "")]
pub struct TerminateApp {
    /// Package.
    #[schemars(length(min = 1))]
    app_id: String,
    /// Android user; the one in front unless given.
    #[schemars(range(min = 0, max = 21474))]
    user: Option<u32>,
}

impl Step for TerminateApp {
    const NAME: &str = "terminate_app";
    const SUMMARY: &str = "Ends an app; passes when it was ended.";
    const GRANTS: &[&str] = &["lifecycle:terminate_app"];

    fn validate(&self) -> Vec<Violation> {
        not_empty("appId", &self.app_id)
    }

    fn run(self, session: &Session) -> Result<Report, Failure> {
        by_success(
            session,
            "terminate_app",
            session.arguments(),
            code::ACTION_REJECTED,
        )
    }
}
