//! What a condition came to, as answers show it.

use std::sync::Arc;

use handset_model::snapshot::Observation;
use handset_model::{Code, Failure};
use serde_json::{Value, json};

use super::super::tree_json;
use super::ExpectedState;
use crate::plugin::{CheckOutcome, CheckVerdict};
use crate::request::round;

/// Where a condition stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It held.
    Matched,
    /// It did not.
    Mismatch,
    /// It could not be decided.
    Unavailable,
    /// The action failed before it was asked.
    NotChecked,
}

/// `condition` of an answer.
#[derive(Clone, Debug)]
pub struct ConditionReport {
    /// Where it stands.
    pub status: Status,
    /// What was expected, for `expectedState`.
    pub expected: Option<ExpectedState>,
    /// The observation it was decided on.
    pub observed: Option<Arc<Observation>>,
    /// The check's own time, ms.
    pub elapsed_ms: f64,
    /// How old the read was when the input was spawned or refused, ms.
    pub read_age_ms: Option<f64>,
    /// Stable reason.
    pub reason: Option<&'static str>,
}

/// One predicate's answer.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// Predicate name.
    pub predicate: String,
    /// What the component said.
    pub outcome: CheckOutcome,
}

impl ConditionReport {
    /// A condition the action did not get to.
    #[must_use]
    pub fn not_checked(expected: Option<ExpectedState>) -> Self {
        Self {
            status: Status::NotChecked,
            expected,
            observed: None,
            elapsed_ms: 0.0,
            read_age_ms: None,
            reason: Some("ACTION_NOT_REACHED"),
        }
    }

    /// The failure code of a blocked input.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        match self.status {
            Status::Matched | Status::NotChecked => None,
            Status::Mismatch => Some(Failure::new(
                Code::PreconditionFailed,
                "the screen is not the expected one: nothing was sent; condition.observed is the screen that blocked it",
            )),
            Status::Unavailable => Some(Failure::new(
                Code::PreconditionUnavailable,
                format!(
                    "the condition could not be checked ({}): nothing was sent",
                    self.reason.unwrap_or("OBSERVATION_FAILED")
                ),
            )),
        }
    }

    /// `full` shows the whole observation also when it matched.
    #[must_use]
    pub fn to_json(&self, device: &Value, full: bool) -> Value {
        let observed = match (&self.observed, self.status) {
            (None, _) | (_, Status::NotChecked) => Value::Null,
            (Some(observation), Status::Matched) if !full => json!({
                "snapshot_session_id": &*observation.session_id,
                "snapshot_revision": observation.revision,
                "captured_at_ms": observation.captured_at_ms,
            }),
            (Some(observation), _) => tree_json(device.clone(), observation, None),
        };
        let mut shown = json!({
            "status": match self.status {
                Status::Matched => "matched",
                Status::Mismatch => "mismatch",
                Status::Unavailable => "unavailable",
                Status::NotChecked => "not_checked",
            },
            "expected": self.expected.as_ref().map(|expected| json!({
                "snapshot_session_id": expected.snapshot_session_id,
                "snapshot_revision": expected.snapshot_revision,
            })),
            "observed": observed,
            "elapsed_ms": round(self.elapsed_ms),
        });
        if let Some(age) = self.read_age_ms {
            shown["read_age_ms"] = json!(round(age));
        }
        if let Some(reason) = self.reason {
            shown["reason"] = json!(reason);
        }
        shown
    }
}

impl CheckReport {
    /// `{predicate, verdict, evidence?, reason?}`; compact leaves the evidence out.
    #[must_use]
    pub fn to_json(&self, full: bool) -> Value {
        let (verdict, reason) = match &self.outcome.verdict {
            CheckVerdict::Holds => ("holds", None),
            CheckVerdict::Fails(reason) => ("fails", Some(reason.clone())),
            CheckVerdict::CannotTell(reason) => ("cannot_tell", Some(reason.clone())),
            CheckVerdict::Fault(failure) => ("fault", Some(failure.message.clone())),
        };
        let mut shown = json!({ "predicate": self.predicate, "verdict": verdict });
        if full {
            let evidence = self.outcome.evidence.iter().map(|note| {
                let mut entry = json!({ "signal": note.signal, "heuristic": note.heuristic });
                if let Some((revision, index)) = note.at {
                    entry["at"] = json!({ "snapshot_revision": revision, "index": index });
                }
                if let Some(detail) = &note.detail {
                    entry["detail"] = json!(detail);
                }
                entry
            });
            shown["evidence"] = evidence.collect();
        }
        if let Some(reason) = reason {
            shown["reason"] = json!(reason);
        }
        shown
    }
}
