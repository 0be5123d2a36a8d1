//! The one envelope of every action, shaped once, by response mode.

use std::sync::Arc;

use handset_model::snapshot::{Observation, delta};
use handset_model::{Code, Failure};
use serde_json::{Map, Value, json};

use super::guard::{CheckReport, ConditionReport};
use super::verify::{Status, Verification};
use super::{Controls, ResponseMode};
use crate::request::Timings;

/// Whether the input reached the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The adapter accepted it.
    Delivered,
    /// It was never spawned, or the device refused it.
    NotDelivered,
    /// It was spawned and its end is not known.
    Unknown,
}

impl Delivery {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::NotDelivered => "not_delivered",
            Self::Unknown => "unknown",
        }
    }
}

/// One entry of `trace.steps`.
#[derive(Clone, Debug)]
pub struct TraceStep {
    /// resolve, execute, verify, stabilize or recover.
    pub stage: &'static str,
    /// Wall clock, ms since the epoch.
    pub timestamp: u64,
    /// success, failure, blocked, unavailable.
    pub result: &'static str,
    /// Which input it belongs to, from 0; of one that looks, the input that follows it.
    pub attempt: u32,
}

/// Everything known about one action.
#[derive(Clone, Debug)]
pub struct ActionReport {
    /// Names the action.
    pub action_id: String,
    /// Tool name.
    pub action_type: &'static str,
    /// The tool's group.
    pub source_module: &'static str,
    /// Wall clock at its start, ms since the epoch.
    pub timestamp: u64,
    /// Controls in force.
    pub controls: Controls,
    /// Answer's `device`.
    pub device: Value,
    /// The selector, handle or point as given.
    pub selector: Value,
    /// Match and target as resolved.
    pub resolved: Option<Value>,
    /// Why it failed, if it did.
    pub failure: Option<Failure>,
    /// Reached the device?
    pub delivery: Delivery,
    /// Native input was spawned.
    pub dispatch_started: bool,
    /// What was read afterwards.
    pub verification: Verification,
    /// The guard's evidence.
    pub condition: Option<ConditionReport>,
    /// Each predicate's answer.
    pub checks: Vec<CheckReport>,
    /// The screen before, where one was read.
    pub before: Option<Arc<Observation>>,
    /// What the light delta is against.
    pub base: Option<Arc<Observation>>,
    /// Tool's own details.
    pub details: Map<String, Value>,
    /// What a tool answers beside the envelope, in both modes.
    pub beside: Map<String, Value>,
    /// Why the app may not have taken what was delivered for what was meant.
    pub doubt: Option<String>,
    /// Stages in order.
    pub trace: Vec<TraceStep>,
    /// Inputs it began.
    pub attempts: u32,
    /// Inputs it may begin.
    pub max_attempts: u32,
    /// Durations.
    pub timings: Timings,
}

impl ActionReport {
    /// The action did what was asked, as far as its mode can say.
    #[must_use]
    pub fn success(&self) -> bool {
        self.failure.is_none()
    }

    /// `pending_verification`, `verified` or `failed`.
    #[must_use]
    pub fn lifecycle(&self) -> &'static str {
        match (self.success(), self.verification.status) {
            (false, _) => "failed",
            (true, Status::Verified) => "verified",
            (true, _) => "pending_verification",
        }
    }

    /// The answer in the mode asked for.
    #[must_use]
    pub fn to_json(&self) -> Value {
        self.shaped(self.controls.response)
    }

    /// The answer in a mode.
    #[must_use]
    pub fn shaped(&self, mode: ResponseMode) -> Value {
        let debug = mode == ResponseMode::Debug;
        let mut body = Map::new();
        let mut put = |name: &str, value: Value| {
            body.insert(name.to_owned(), value);
        };
        put("action_id", json!(self.action_id));
        if debug {
            put("timestamp", json!(self.timestamp));
        }
        put("action_type", json!(self.action_type));
        put("success", json!(self.success()));
        put("lifecycle_state", json!(self.lifecycle()));
        if let Some(failure) = &self.failure {
            put("failure_code", json!(failure.code));
            put("retryable", json!(self.retryable(failure)));
        }
        put("delivery_status", json!(self.delivery.as_str()));
        put("dispatch_started", json!(self.dispatch_started));
        put("verification", self.verification.to_json());
        let doubt = || {
            let doubt = self.doubt.as_ref()?;
            Some(json!({ "code": Code::VerificationFailed, "retryable": false, "message": doubt }))
        };
        if let Some(diagnostic) = self.verification.diagnostic().or_else(doubt) {
            put("verification_diagnostic", diagnostic);
        }
        if let Some((name, value)) = self.state_delta() {
            put(name, value);
        }
        if let Some(condition) = &self.condition {
            put("condition", condition.to_json(&self.device, debug));
        }
        if !self.checks.is_empty() {
            put("checks", self.checks.iter().map(|check| check.to_json(debug)).collect());
        }
        if let Some(failure) = &self.failure {
            put("error", failure.to_json());
        }
        for (name, value) in &self.beside {
            put(name, value.clone());
        }
        if debug {
            self.debug(&mut put);
            put("timing", self.timings.full());
        } else {
            put("timing", self.timings.compact());
        }
        Value::Object(body)
    }

    /// Only debug answers tell these.
    fn debug(&self, put: &mut impl FnMut(&str, Value)) {
        put("source_module", json!(self.source_module));
        put("device", self.device.clone());
        put("target", json!({ "selector": self.selector, "resolved": self.resolved }));
        put("ui_fingerprint_before", json!(self.before.as_ref().map(|before| &before.fingerprint)));
        put("ui_fingerprint_after", json!(self.verification.after.as_ref().map(|after| &after.fingerprint)));
        put("effective_controls", self.controls.to_json());
        let steps: Vec<Value> = self
            .trace
            .iter()
            .map(|step| json!({ "stage": step.stage, "timestamp": step.timestamp, "result": step.result, "attempt_index": step.attempt }))
            .collect();
        put(
            "trace",
            json!({
                "action_id": self.action_id,
                "steps": steps,
                "final_outcome": if self.success() { "success" } else { "failure" },
                "attempts": self.attempts.max(1),
            }),
        );
        if let Some(failure) = &self.failure {
            put("recovery", self.recovery(failure));
        }
        put("details", Value::Object(self.details.clone()));
    }

    /// A light action's delta against the newest retained revision; no pre-read is made for it.
    fn state_delta(&self) -> Option<(&'static str, Value)> {
        if self.verification.mode != super::VerificationMode::Light || self.verification.status != Status::Observed {
            return None;
        }
        match (&self.base, &self.verification.after) {
            (Some(base), Some(after)) => Some(("state_delta", delta(Some(base), after))),
            _ => Some(("state_delta_available", json!(false))),
        }
    }

    /// What may have arrived is never worth a blind repeat, whatever its code says elsewhere.
    #[must_use]
    pub fn retryable(&self, failure: &Failure) -> bool {
        self.delivery == Delivery::NotDelivered && failure.is_retryable()
    }

    /// What kind of failure this is, and what whoever asked can do. An action of one input is never sent again by us;
    /// one of several goes on only from what it reads.
    fn recovery(&self, failure: &Failure) -> Value {
        let (class, strategy) = recovery_of(failure.code);
        let retry = self.retryable(failure);
        let depth = self.attempts.saturating_sub(1);
        let most = self.max_attempts.saturating_sub(1);
        let mut recovery = json!({
            "failure_class": class,
            "runtime_code": failure.code,
            "recovery_attempts": depth,
            "max_recovery_attempts": most,
            "retry_depth": depth,
            "max_retry_depth": most,
            "is_terminal": !retry,
            "retry_allowed": retry,
        });
        // Where it is not known what arrived, looking comes first, whatever failed.
        let strategy = if self.delivery == Delivery::Unknown { Some("state_refresh") } else { strategy };
        if let Some(strategy) = strategy {
            recovery["recovery_strategy"] = json!(strategy);
        }
        recovery
    }
}

/// The class of a failure, and what mends its kind; nothing does where the device, its owner or the arguments must change.
const fn recovery_of(code: Code) -> (&'static str, Option<&'static str>) {
    const TARGET: &str = "TargetResolutionFailure";
    const EXECUTION: &str = "ExecutionFailure";
    match code {
        Code::ElementNotFound | Code::StaleReference | Code::NothingFocused => (TARGET, Some("re_resolve")),
        Code::AmbiguousTarget => (TARGET, Some("alternate_candidate")),
        Code::ElementNotInteractable => (TARGET, Some("state_refresh")),
        // What lies over the target goes away with Back.
        Code::Covered => (TARGET, Some("step_back")),
        Code::VerificationFailed => ("VerificationFailure", Some("state_refresh")),
        Code::ControlConvergenceFailed => ("ControlConvergenceFailure", Some("retry_adjustment")),
        Code::SemanticMismatch => ("SemanticMismatchFailure", Some("alternate_candidate")),
        Code::Unsupported
        | Code::UnsupportedText
        | Code::InputDenied
        | Code::InvalidArgument
        | Code::ToolNotFound
        | Code::AdbVersionConflict
        | Code::DeviceNotFound
        | Code::AmbiguousDevice
        | Code::DeviceLocked
        | Code::ScreenOff
        | Code::PluginDenied
        | Code::Cancelled => (EXECUTION, None),
        _ => (EXECUTION, Some("state_refresh")),
    }
}
