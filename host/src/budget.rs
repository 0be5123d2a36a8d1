//! Nested deadlines with cancellation. A budget is passed, never global: nested work gets what remains of its parent.

use std::future::Future;
use std::time::Duration;

use handset_model::{Code, Failure};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A monotonic deadline and the request's cancellation.
#[derive(Clone, Debug)]
pub struct Budget {
    deadline: Instant,
    cancel: CancellationToken,
}

/// Why work on a budget stopped before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The deadline passed.
    Expired,
    /// The client cancelled the request, or the server is ending.
    Cancelled,
}

impl Stopped {
    /// As a failure: `code` for an expired deadline, `CANCELLED` otherwise. `doing` completes "while …".
    #[must_use]
    pub fn failure(self, code: Code, doing: &str) -> Failure {
        match self {
            Self::Expired => Failure::new(code, format!("time ran out while {doing}")),
            Self::Cancelled => Failure::new(Code::Cancelled, format!("cancelled while {doing}")),
        }
    }
}

impl Budget {
    /// A budget of `total` from now, ended early by `cancel`.
    #[must_use]
    pub fn new(total: Duration, cancel: CancellationToken) -> Self {
        Self { deadline: Instant::now() + total, cancel }
    }

    /// At most `total` from now, and never past this budget's own deadline.
    #[must_use]
    pub fn child(&self, total: Duration) -> Self {
        Self { deadline: self.deadline.min(Instant::now() + total), cancel: self.cancel.clone() }
    }

    /// The same deadline under a token of its own, a child of this one's.
    #[must_use]
    pub fn detached(&self) -> (Self, CancellationToken) {
        let token = self.cancel.child_token();
        (Self { deadline: self.deadline, cancel: token.clone() }, token)
    }

    /// When it ends.
    #[must_use]
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// What is left; zero once expired.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// The request's cancellation.
    #[must_use]
    pub fn cancel_token(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Whether work may go on.
    ///
    /// # Errors
    /// [`Stopped`] when the deadline passed or the request was cancelled.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.cancel.is_cancelled() {
            return Err(Stopped::Cancelled);
        }
        if Instant::now() >= self.deadline {
            return Err(Stopped::Expired);
        }
        Ok(())
    }

    /// Drives `work` until it is done or the budget ends; dropped in the latter case.
    ///
    /// # Errors
    /// [`Stopped`] when the budget ended first.
    pub async fn run<T>(&self, work: impl Future<Output = T>) -> Result<T, Stopped> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(Stopped::Cancelled),
            done = work => Ok(done),
            () = tokio::time::sleep_until(self.deadline) => Err(Stopped::Expired),
        }
    }

    /// Waits for a stated interval of a poll.
    ///
    /// # Errors
    /// [`Stopped`] when the budget ends before the interval does.
    pub async fn pause(&self, interval: Duration) -> Result<(), Stopped> {
        self.run(tokio::time::sleep(interval)).await
    }
}
