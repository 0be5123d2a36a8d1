//! Reading until there is a whole tree: which failures are worth another read, how often, and which are the answer.

use std::time::Duration;

use handset_model::snapshot::ScreenFacts;
use handset_model::ui::{Limitation, Tree};
use handset_model::{Code, Failure};
use tokio::time::Instant;

use super::Android;
use super::read::{Failed, TreeSource, Whole};
use crate::budget::{Budget, Stopped};
use crate::device::{Leftover, PhysicalRead, Pinned, Read, ReadFailure, Wants};

const SYSTEM_UI: &str = "com.android.systemui";

/// How a kind of failure is borne.
struct Patience {
    /// Reads after the first that failed so.
    again: u32,
    /// Before each of them.
    pause: Duration,
    /// None begins later than this after the first that failed so.
    within: Duration,
}

/// What is worth another read. The whole stays inside the request's one deadline.
fn patience(code: Code) -> Option<Patience> {
    let (again, pause, within) = match code {
        // The screen is changing: windows come and go within a few frames.
        Code::NullRoot => (3, 200, 10_000),
        // The tree changed under the walk, or the JVM was killed.
        Code::ReaderKilled => (2, 100, 10_000),
        Code::TreeInvalid | Code::TreeTruncated => (2, 50, 10_000),
        // Another dump ends within its ten seconds, a framework holds on: waiting longer than this hides it.
        Code::SlotBusy => (24, 250, 6_000),
        // Each try has cost the device's own ten seconds already; the next one is compressed.
        Code::NotIdle => (1, 0, 30_000),
        _ => return None,
    };
    Some(Patience { again, pause: Duration::from_millis(pause), within: Duration::from_millis(within) })
}

/// One request's reads so far.
struct Tries {
    reads: Vec<PhysicalRead>,
    /// Waited on purpose since the last of them.
    waited: Duration,
    failed: Vec<(Code, Instant)>,
    last: Option<Failure>,
    leftover: Option<Leftover>,
    source: TreeSource,
    server_lost: bool,
    asked_state: bool,
    looked_past_system_ui: bool,
}

impl Android {
    /// One fresh tree; bounded re-reads inside the one budget.
    pub(super) async fn read_until_whole(
        &self,
        device: &Pinned,
        wants: Wants,
        budget: &Budget,
    ) -> Result<Read, ReadFailure> {
        let mut tries = Tries::new();
        loop {
            if let Err(why) = budget.check() {
                return Err(tries.out_of_time(why));
            }
            let (read, mut cost) = self.read_once(device, tries.source, wants, budget).await;
            cost.waited = std::mem::take(&mut tries.waited);
            cost.failed = read.as_ref().err().map(|failed| failed.failure.code);
            tries.reads.push(cost);
            let failed = match read {
                Ok(whole) => match self.accept(device, whole, &mut tries, budget).await {
                    Ok(Some(whole)) => return Ok(whole.into_read(tries.reads)),
                    Ok(None) => continue,
                    Err(failure) => return Err(tries.over(failure)),
                },
                Err(failed) => failed,
            };
            self.bear(device, failed, &mut tries, budget).await?;
        }
    }

    /// A tree that shows nothing but the system's own windows is an answer only where the screen is on and unlocked;
    /// one of a bar alone was read between two windows, once.
    async fn accept(
        &self,
        device: &Pinned,
        whole: Whole,
        tries: &mut Tries,
        budget: &Budget,
    ) -> Result<Option<Whole>, Failure> {
        if !only_system_ui(&whole.tree) {
            return Ok(Some(whole));
        }
        self.refuse_dark_screen(device, tries, budget).await?;
        if covers_display(&whole.tree) || tries.looked_past_system_ui {
            return Ok(Some(whole));
        }
        tries.looked_past_system_ui = true;
        tracing::debug!("only a system bar was read; reading once more");
        Ok(None)
    }

    /// Returns when another read is worth it; else with what the request fails with.
    async fn bear(
        &self,
        device: &Pinned,
        failed: Box<Failed>,
        tries: &mut Tries,
        budget: &Budget,
    ) -> Result<(), ReadFailure> {
        let Failed { failure, server_lost, leftover } = *failed;
        tracing::debug!(code = %failure.code, attempt = tries.reads.len(), "a read failed");
        tries.leftover = leftover;
        if matches!(failure.code, Code::Timeout | Code::Cancelled) {
            return Err(tries.stopped(failure));
        }
        if server_lost {
            if std::mem::replace(&mut tries.server_lost, true) {
                return Err(tries.over(failure));
            }
            tries.last = Some(failure);
            return self.same_connection(device, budget).await.map_err(|gone| tries.over(gone));
        }
        let Some(patience) = patience(failure.code) else { return Err(tries.over(failure)) };
        if failure.is_retryable() != failure.code.retryable() {
            // The case knows better than its code.
            return Err(tries.over(failure));
        }
        if failure.code == Code::NullRoot {
            self.refuse_dark_screen(device, tries, budget).await.map_err(|dark| tries.over(dark))?;
        }
        if failure.code == Code::NotIdle {
            tries.source = TreeSource::Compressed;
        }
        let now = Instant::now();
        let (code, earlier) = (failure.code, tries.failed.iter().filter(|(code, _)| *code == failure.code));
        let since = earlier.clone().map(|(_, at)| *at).min().unwrap_or(now);
        let spent = u32::try_from(earlier.count()).unwrap_or(u32::MAX);
        if spent >= patience.again || now + patience.pause > since + patience.within {
            return Err(tries.over(failure));
        }
        tries.failed.push((code, now));
        match budget.pause(patience.pause).await {
            Ok(()) => {
                tries.last = Some(failure);
                tries.waited = patience.pause;
                Ok(())
            }
            // What was seen says more than that time ran out in a pause.
            Err(Stopped::Expired) => Err(tries.over(failure)),
            Err(Stopped::Cancelled) => Err(tries.over(Stopped::Cancelled.failure(Code::Timeout, "reading the screen"))),
        }
    }

    /// Asks once per request whether the display is off or the keyguard showing; where that cannot be told, it is neither.
    async fn refuse_dark_screen(&self, device: &Pinned, tries: &mut Tries, budget: &Budget) -> Result<(), Failure> {
        if std::mem::replace(&mut tries.asked_state, true) {
            return Ok(());
        }
        match self.screen_state(device, budget).await {
            Ok(state) if state.on == Some(false) => Err(Failure::new(Code::ScreenOff, "the display is off")),
            Ok(state) if state.locked == Some(true) => Err(Failure::new(Code::DeviceLocked, "the keyguard is showing")),
            // It is gone, or another one.
            Err(failure) if failure.code == Code::DeviceOffline => Err(failure),
            // Nothing was told because time ran out: a dark screen must not pass for one that was asked about.
            Err(failure) if budget.check().is_err() => Err(failure),
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

impl Tries {
    fn new() -> Self {
        Self {
            reads: Vec::new(),
            waited: Duration::ZERO,
            failed: Vec::new(),
            last: None,
            leftover: None,
            source: TreeSource::Stock,
            server_lost: false,
            asked_state: false,
            looked_past_system_ui: false,
        }
    }

    /// Ends with what a read or a question met.
    fn over(&mut self, failure: Failure) -> ReadFailure {
        ReadFailure { failure, reads: std::mem::take(&mut self.reads), leftover: self.leftover.take() }
    }

    /// Ends with a read cut off by the budget: what the read before it met says more than that time ran out over another,
    /// but for a lost server: the device was found again since.
    fn stopped(&mut self, cut: Failure) -> ReadFailure {
        let failure = match self.last.take() {
            Some(met) if cut.code == Code::Timeout && met.code != Code::DeviceOffline => {
                Failure { message: format!("{}; {}, once more", met.message, cut.message), ..met }
            }
            Some(met) => {
                let message = format!("{}; the read before it failed with {}: {}", cut.message, met.code, met.message);
                Failure { message, ..cut }
            }
            None => cut,
        };
        self.over(failure)
    }

    /// Ends between two reads.
    fn out_of_time(&mut self, why: Stopped) -> ReadFailure {
        self.stopped(why.failure(Code::Timeout, "reading the screen"))
    }
}

impl Whole {
    fn into_read(self, reads: Vec<PhysicalRead>) -> Read {
        let Self { capture, mut tree, screen } = self;
        if of_another_screen(&tree, &screen) && !tree.limitations.contains(&Limitation::StaleSuspected) {
            tree.limitations.push(Limitation::StaleSuspected);
        }
        Read { capture, tree, screen, reads }
    }
}

/// The tree's app is not the one in front: accessibility may not have caught up. The system's own windows may lie over any app.
fn of_another_screen(tree: &Tree, screen: &ScreenFacts) -> bool {
    match (&tree.package, &screen.package) {
        (Some(shown), Some(front)) => shown != front && shown != SYSTEM_UI && shown != "android",
        _ => false,
    }
}

fn only_system_ui(tree: &Tree) -> bool {
    !tree.windows.is_empty() && tree.windows.iter().all(|window| window.package.as_deref() == Some(SYSTEM_UI))
}

/// At least a quarter of the display: a shade does, a status bar does not.
fn covers_display(tree: &Tree) -> bool {
    let shown: i64 = tree.windows.iter().map(|window| window.bounds.area()).max().unwrap_or(0);
    shown * 4 >= tree.display().area()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_request_is_what_its_reads_met_unless_that_was_mended() {
        for (met, cut, told) in [
            (None, Code::Timeout, Code::Timeout),
            (Some(Code::SlotBusy), Code::Timeout, Code::SlotBusy),
            (Some(Code::NotIdle), Code::Timeout, Code::NotIdle),
            (Some(Code::DeviceOffline), Code::Timeout, Code::Timeout),
            (Some(Code::SlotBusy), Code::Cancelled, Code::Cancelled),
        ] {
            let mut tries = Tries { last: met.map(|code| Failure::new(code, "met before")), ..Tries::new() };
            let failure = tries.stopped(Failure::new(cut, "cut")).failure;
            assert_eq!(failure.code, told, "{met:?}, {cut}");
            assert_eq!(failure.message.contains("met before"), met.is_some(), "{failure}");
        }
    }

    fn flagged(shown: &str, front: Option<&str>) -> bool {
        let tree = Tree { package: Some(shown.to_owned()), ..Tree::default() };
        of_another_screen(&tree, &ScreenFacts { package: front.map(str::to_owned), activity: None })
    }

    // §3a 9: the screen of the app before, after navigation.
    #[test]
    fn a_tree_of_another_app_than_the_one_in_front_is_suspected() {
        assert!(flagged("com.android.launcher", Some("com.example")));
        assert!(!flagged("com.example", Some("com.example")));
        assert!(
            !flagged(SYSTEM_UI, Some("com.example"))
                && !flagged("android", Some("com.example"))
                && !flagged("com.example", None)
        );
    }
}
