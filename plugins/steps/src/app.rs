//! `start_app`, `terminate_app`.

use crate::args::{Clamped, VerificationMode, not_empty};
use crate::outcome::by_success;
use handset_plugin::{Failure, Report, Session, Step, Violation, code};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The arguments of `start_app`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(description = "")]
pub struct StartApp {
    /// Package or bundle id.
    #[schemars(length(min = 1))]
    app_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification_mode: Option<VerificationMode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    action_timeout_ms: Option<Clamped>,
    #[serde(skip_serializing_if = "Option::is_none")]
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
        by_success(session, "start_app", &self, code::ACTION_REJECTED)
    }
}

/// The arguments of `terminate_app`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(description = "")]
pub struct TerminateApp {
    /// Package or bundle id.
    #[schemars(length(min = 1))]
    app_id: String,
}

impl Step for TerminateApp {
    const NAME: &str = "terminate_app";
    const SUMMARY: &str = "Ends an app; passes when it was ended.";
    const GRANTS: &[&str] = &["lifecycle:terminate_app"];

    fn validate(&self) -> Vec<Violation> {
        not_empty("appId", &self.app_id)
    }

    fn run(self, session: &Session) -> Result<Report, Failure> {
        by_success(session, "terminate_app", &self, code::ACTION_REJECTED)
    }
}
