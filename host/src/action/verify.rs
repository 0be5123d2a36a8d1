//! What is read after an input, by mode, and what it proves.

use std::sync::Arc;
use std::time::{Duration, Instant};

use handset_model::Failure;
use handset_model::snapshot::Observation;
use serde_json::{Value, json};

use super::{Controls, VerificationMode};
use crate::budget::Budget;
use crate::device::Session;
use crate::request::{Purpose, Request};
use crate::wait::{Pace, Reads, stable_fingerprint};

/// Between two tries of a light verification's one observation.
const AGAIN: Duration = Duration::from_millis(100);

/// Contract §5's `verification.status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing was asked, or nothing was sent.
    NotRequested,
    /// The screen was read.
    Observed,
    /// The screen changed and rests.
    Verified,
    /// It could not be read in time.
    Unavailable,
    /// What was started is not in front.
    Failed,
}

impl Status {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotRequested => "not_requested",
            Self::Observed => "observed",
            Self::Verified => "verified",
            Self::Unavailable => "unavailable",
            Self::Failed => "failed",
        }
    }
}

/// The outcome of a verification.
#[derive(Clone, Debug)]
pub struct Verification {
    /// Requested mode.
    pub mode: VerificationMode,
    /// What came of it.
    pub status: Status,
    /// The last screen it saw.
    pub after: Option<Arc<Observation>>,
    /// Why it is unavailable.
    pub failure: Option<Failure>,
}

impl Verification {
    /// For an input that was not sent, or whose mode asks for none.
    #[must_use]
    pub fn not_requested(mode: VerificationMode) -> Self {
        Self { mode, status: Status::NotRequested, after: None, failure: None }
    }

    /// `verification {mode, status}`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({ "mode": self.mode, "status": self.status.as_str() })
    }

    /// `verification_diagnostic`, when there is something to diagnose.
    #[must_use]
    pub fn diagnostic(&self) -> Option<Value> {
        (self.status == Status::Unavailable).then(|| {
            let message =
                self.failure.as_ref().map_or("the screen did not rest in time", |failure| failure.message.as_str());
            let mut diagnostic = json!({ "code": "VERIFICATION_UNAVAILABLE", "retryable": true, "message": message });
            if let Some(failure) = &self.failure {
                diagnostic["cause"] = json!(failure.code);
            }
            diagnostic
        })
    }
}

/// The package in front, where the read brought it.
pub(super) fn front(observation: &Observation) -> Option<&str> {
    observation.screen.package.as_deref().or(observation.tree.package.as_deref())
}

/// Reads what the mode asks for. `before` is the screen the input was decided on.
pub(super) async fn verify(
    session: &Session,
    request: &Request,
    controls: &Controls,
    before: Option<&Arc<Observation>>,
    app: Option<&str>,
    outer: &Budget,
) -> Verification {
    let mut verification = Verification::not_requested(controls.verification);
    let budget = outer.child(controls.verify);
    let began = Instant::now();
    let mut reads = Reads::new(session, request, Purpose::Verification, budget, AGAIN);
    match controls.verification {
        VerificationMode::None => {}
        VerificationMode::Light => {
            verification.after = reads.next(Pace::AtOnce).await;
            verification.status = if verification.after.is_some() { Status::Observed } else { Status::Unavailable };
        }
        VerificationMode::Full => {
            // An app that is still on its way is waited for: two equal looks at the launcher prove nothing.
            let in_front = |seen: &Observation| app.is_none_or(|app| front(seen).is_none_or(|package| package == app));
            verification.after = stable_fingerprint(&mut reads, in_front).await;
            verification.status = match (&verification.after, before) {
                (None, _) => Status::Unavailable,
                (Some(after), Some(before)) if after.fingerprint != before.fingerprint => Status::Verified,
                (Some(_), _) => Status::Observed,
            };
            if verification.after.is_none() {
                verification.after = reads.timeline.observations.last().cloned();
            }
        }
    }
    if verification.status == Status::Unavailable {
        verification.failure = reads.last_failure.clone();
    }
    if controls.verification != VerificationMode::None {
        request.verified(controls.verification.as_str(), controls.verify, began, verification.status.as_str());
    }
    verification
}
