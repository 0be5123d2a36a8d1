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
        Self { deadline: after(total), cancel }
    }

    /// At most `total` from now, and never past this budget's own deadline.
    #[must_use]
    pub fn child(&self, total: Duration) -> Self {
        Self { deadline: self.deadline.min(after(total)), cancel: self.cancel.clone() }
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

/// `total` from now; a century at most, which no clock overflows at.
fn after(total: Duration) -> Instant {
    const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);
    Instant::now() + total.min(CENTURY)
}

#[cfg(test)]
mod schedules;

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn budget(total: u64) -> Budget {
        Budget::new(ms(total), CancellationToken::new())
    }

    #[tokio::test(start_paused = true)]
    async fn nested_work_gets_what_remains_and_no_more() {
        let outer = budget(1_000);
        tokio::time::advance(ms(400)).await;
        assert_eq!(outer.remaining(), ms(600));
        assert_eq!(outer.child(ms(100)).remaining(), ms(100));
        assert_eq!(outer.child(ms(5_000)).deadline(), outer.deadline());
        tokio::time::advance(ms(700)).await;
        assert_eq!((outer.remaining(), outer.check()), (Duration::ZERO, Err(Stopped::Expired)));
        assert_eq!(outer.child(ms(100)).check(), Err(Stopped::Expired));
    }

    #[tokio::test(start_paused = true)]
    async fn expiry_drops_the_work_at_its_moment() {
        let (budget, started) = (budget(300), Instant::now());
        assert_eq!(budget.run(std::future::pending::<()>()).await, Err(Stopped::Expired));
        assert_eq!(started.elapsed(), ms(300));
    }

    #[tokio::test(start_paused = true)]
    async fn work_that_is_done_at_the_deadline_is_done() {
        let budget = budget(0);
        assert_eq!(budget.run(std::future::ready(7)).await, Ok(7));
    }

    #[tokio::test(start_paused = true)]
    async fn cancelling_ends_every_nested_budget() {
        let token = CancellationToken::new();
        let outer = Budget::new(ms(60_000), token.clone());
        let inner = outer.child(ms(30_000));
        let (detached, own) = outer.detached();
        own.cancel();
        assert_eq!((detached.check(), inner.check()), (Err(Stopped::Cancelled), Ok(())));
        token.cancel();
        assert_eq!((outer.check(), inner.check()), (Err(Stopped::Cancelled), Err(Stopped::Cancelled)));
        assert_eq!(inner.run(std::future::ready(7)).await, Err(Stopped::Cancelled));
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_ends_with_the_budget() {
        let (budget, started) = (budget(150), Instant::now());
        assert_eq!(budget.pause(ms(100)).await, Ok(()));
        assert_eq!(budget.pause(ms(100)).await, Err(Stopped::Expired));
        assert_eq!(started.elapsed(), ms(150));
    }

    #[tokio::test(start_paused = true)]
    async fn a_total_beyond_the_clock_is_far_away_and_no_panic() {
        let budget = Budget::new(Duration::MAX, CancellationToken::new());
        assert!(budget.child(Duration::MAX).remaining() > ms(86_400_000));
    }

    #[test]
    fn stopping_is_told_by_its_cause() {
        assert_eq!(Stopped::Expired.failure(Code::Timeout, "x").code, Code::Timeout);
        assert_eq!(Stopped::Cancelled.failure(Code::Timeout, "x").code, Code::Cancelled);
    }
}
