//! `wait`, `wait_for_readiness`: synchronisation, not proof.

#![expect(dead_code, reason = "read to be checked, then handed on as they came")]

use crate::outcome::by_success;
use handset_plugin::{Failure, Report, Selector, Session, Step, Violation, code};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What a wait waits for.
#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitCondition {
    Exists,
    NotExists,
    Visible,
    Clickable,
}

/// The arguments of `wait`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(description = "")]
pub struct WaitForUi {
    selector: Selector,
    /// Exists unless given.
    condition: Option<WaitCondition>,
    /// 60000 unless given.
    #[schemars(range(min = 100, max = 300_000))]
    timeout_ms: Option<u32>,
    /// 300 unless given.
    #[schemars(range(min = 50, max = 2_000))]
    poll_interval_ms: Option<u32>,
}

impl Step for WaitForUi {
    const NAME: &str = "wait";
    const SUMMARY: &str = "Waits for an element; passes when the condition is met in time.";

    fn validate(&self) -> Vec<Violation> {
        self.selector.violations("selector")
    }

    fn run(self, session: &Session) -> Result<Report, Failure> {
        let arguments = json!({
            "selector": self.selector,
            "condition": self.condition.unwrap_or(WaitCondition::Exists),
            "timeout_ms": self.timeout_ms.unwrap_or(60_000),
            "poll_interval_ms": self.poll_interval_ms.unwrap_or(300),
        });
        by_success(
            session,
            "wait_for_ui",
            &arguments.to_string(),
            code::TIMEOUT,
        )
    }
}

/// What a screen may be up to.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadinessState {
    Unknown,
    Settled,
    Transitioning,
    Loading,
    Unresponsive,
    DebuggerPaused,
}

/// The arguments of `wait_for_readiness`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(description = "")]
pub struct WaitForReadiness {
    /// Settled unless given.
    state: Option<ReadinessState>,
    /// 10000 unless given.
    #[schemars(range(min = 100, max = 60_000))]
    timeout_ms: Option<u32>,
    /// 300 unless given.
    #[schemars(range(min = 100, max = 10_000))]
    stability_ms: Option<u32>,
}

impl Step for WaitForReadiness {
    const NAME: &str = "wait_for_readiness";
    const SUMMARY: &str = "Waits until the screen is ready; passes when it is in time.";

    fn run(self, session: &Session) -> Result<Report, Failure> {
        by_success(
            session,
            "wait_for_readiness",
            session.arguments(),
            code::TIMEOUT,
        )
    }
}
