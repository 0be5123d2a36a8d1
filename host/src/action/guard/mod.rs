//! Conditions an input depends on: decided once, on one fresh observation, as the last thing before the spawn.

mod condition;
mod report;

pub use condition::{ExpectedState, GuardArgs, Precondition};
pub(super) use report::{CheckReport, ConditionReport, Status};

use std::sync::Arc;
use std::time::Duration;

use handset_model::snapshot::{Baseline, Observation};

use crate::plugin::{CheckOutcome, CheckVerdict, PendingInput, PreparedCheck, TimelineData};
use condition::{Expression, Truth};

/// A guard with its instances, ready to be asked once.
pub struct Guard {
    /// The screen expected, if one is.
    pub expected: Option<ExpectedState>,
    snapshot: Option<PreparedCheck>,
    predicates: Vec<(String, PreparedCheck)>,
    expression: Option<Expression>,
    /// Budget of the guard's own read.
    pub timeout: Duration,
}

impl std::fmt::Debug for Guard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guard").field("expected", &self.expected).finish_non_exhaustive()
    }
}

impl Guard {
    /// Asks everything, synchronously, on the one observation. The host compares session, device and revision
    /// itself: components can only narrow.
    #[must_use]
    pub fn decide(
        self,
        now: &Arc<Observation>,
        baseline: Option<&Baseline>,
        pending: &PendingInput,
        history: &TimelineData,
    ) -> (Status, Option<&'static str>, Vec<CheckReport>) {
        let ask =
            |check: PreparedCheck| check.check(Arc::clone(now), baseline.cloned(), pending.clone(), history.clone());
        let mut reports = Vec::new();
        let mut truth = Truth::Holds;
        let mut faulted = false;
        let mut hear = |name: String, outcome: CheckOutcome, reports: &mut Vec<CheckReport>| {
            let truth = match &outcome.verdict {
                CheckVerdict::Holds => Truth::Holds,
                CheckVerdict::Fails(_) => Truth::Fails,
                CheckVerdict::CannotTell(_) => Truth::Unknown,
                CheckVerdict::Fault(_) => {
                    faulted = true;
                    Truth::Unknown
                }
            };
            reports.push(CheckReport { predicate: name, outcome });
            truth
        };
        if let (Some(check), Some(expected)) = (self.snapshot, &self.expected) {
            let same = baseline.is_some_and(|baseline| {
                baseline.device == now.device
                    && baseline.connection == now.connection
                    && *baseline.session_id == *expected.snapshot_session_id
                    && baseline.session_id == now.session_id
                    && baseline.revision == expected.snapshot_revision
                    && now.revision == expected.snapshot_revision
            });
            let said = hear("snapshot".to_owned(), ask(check), &mut reports);
            truth = if same { said } else { Truth::Fails };
        }
        if let Some(expression) = &self.expression {
            let truths: Vec<Truth> =
                self.predicates.into_iter().map(|(name, check)| hear(name, ask(check), &mut reports)).collect();
            let decided = expression.truth(&|number| truths.get(number).copied().unwrap_or(Truth::Unknown));
            truth = match (truth, decided) {
                (Truth::Fails, _) | (_, Truth::Fails) => Truth::Fails,
                (Truth::Unknown, _) | (_, Truth::Unknown) => Truth::Unknown,
                _ => Truth::Holds,
            };
        }
        match truth {
            Truth::Holds => (Status::Matched, None, reports),
            Truth::Fails => (Status::Mismatch, None, reports),
            Truth::Unknown => {
                let reason = if faulted { "PREDICATE_FAULT" } else { "PREDICATE_CANNOT_TELL" };
                (Status::Unavailable, Some(reason), reports)
            }
        }
    }
}
