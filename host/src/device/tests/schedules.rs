//! A lane under random schedules on a paused clock, against the simplest model of one: a queue and who holds it.
//!
//! One task a waiter, and time moves only when nobody can: the order is the schedule's, and so is every moment.

use std::collections::{BTreeMap, VecDeque};

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tokio::task::JoinHandle;

use super::*;

/// What happens next; a waiter or a holder is meant by its number, modulo how many there are.
#[derive(Clone, Debug)]
enum Step {
    /// Somebody asks for a turn, with this budget.
    Enter { budget_ms: u64 },
    /// The request of a waiter is cancelled.
    Cancel { which: usize },
    /// A waiter's future is dropped.
    Abort { which: usize },
    /// The holder lets go.
    Release,
    /// The holder lets go and leaves work on the device behind, over by itself after so long, gone at the latest after so long.
    Leave { over_ms: u64, until_ms: u64 },
    /// Time passes.
    Advance(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => prop_oneof![Just(60_000u64), 1u64..900].prop_map(|budget_ms| Step::Enter { budget_ms }),
        1 => any::<usize>().prop_map(|which| Step::Cancel { which }),
        1 => any::<usize>().prop_map(|which| Step::Abort { which }),
        4 => Just(Step::Release),
        2 => (0u64..3_000, 0u64..3_000).prop_map(|(over_ms, until_ms)| Step::Leave { over_ms, until_ms }),
        3 => (0u64..500).prop_map(Step::Advance),
    ];
    prop::collection::vec(step, 1..50)
}

/// Between two questions whether a leftover is over.
const QUESTION_MS: u64 = 200;

/// When a leftover's lane opens: at the first question that finds it over, and at its bound at the latest.
fn opens_after(over_ms: u64, until_ms: u64) -> u64 {
    over_ms.div_ceil(QUESTION_MS).saturating_mul(QUESTION_MS).min(until_ms)
}

/// Who has the lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holder {
    Nobody,
    Turn(usize),
    /// Nobody's turn: asked since one moment, open at another, ms.
    Leftover {
        since: u64,
        opens: u64,
    },
}

/// How asking ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Entered,
    Expired,
    Cancelled,
}

struct Waiter {
    token: CancellationToken,
    task: JoinHandle<()>,
    expires: u64,
}

struct Model {
    lane: Arc<Lane>,
    started: Instant,
    asked: usize,
    waiters: BTreeMap<usize, Waiter>,
    queue: VecDeque<usize>,
    holder: Holder,
    turns: BTreeMap<usize, LaneTurn>,
    /// What the lane did, in its order: who, how, and when, ms.
    seen: tokio::sync::mpsc::UnboundedReceiver<(usize, Result<LaneTurn, Failure>, u64)>,
    tell: tokio::sync::mpsc::UnboundedSender<(usize, Result<LaneTurn, Failure>, u64)>,
    /// What the model says it does.
    expected: VecDeque<(usize, End, u64)>,
}

impl Model {
    fn new() -> Self {
        let key = DeviceKey { platform: "android", id: "a".to_owned() };
        let (tell, seen) = tokio::sync::mpsc::unbounded_channel();
        Self {
            lane: Lanes::default().lane(&key),
            started: Instant::now(),
            asked: 0,
            waiters: BTreeMap::new(),
            queue: VecDeque::new(),
            holder: Holder::Nobody,
            turns: BTreeMap::new(),
            seen,
            tell,
            expected: VecDeque::new(),
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap()
    }

    /// Lets every task come as far as it can without time passing.
    async fn settle(&self) {
        for _ in 0..64 {
            tokio::task::yield_now().await;
        }
    }

    /// The first in the queue gets its turn, if nobody has one.
    fn admit(&mut self, now: u64) {
        if self.holder == Holder::Nobody
            && let Some(next) = self.queue.pop_front()
        {
            self.holder = Holder::Turn(next);
            self.waiters.remove(&next);
            self.expected.push_back((next, End::Entered, now));
        }
    }

    /// Time passes, one event after the other: leftovers end, waiters give up.
    async fn advance(&mut self, ms: u64) {
        let end = self.now() + ms;
        loop {
            // A question is an event too: the next one is asked a while after it, not after we looked.
            let (opens, asks) = match self.holder {
                Holder::Leftover { since, opens } => {
                    let asked = (self.now() - since) / QUESTION_MS + 1;
                    (Some(opens), Some(since + asked * QUESTION_MS))
                }
                _ => (None, None),
            };
            let expires = self.queue.iter().map(|waiter| self.waiters[waiter].expires).min();
            let next = opens.into_iter().chain(asks).chain(expires).min().filter(|at| *at <= end);
            let Some(at) = next else { break };
            tokio::time::advance(Duration::from_millis(at.saturating_sub(self.now()))).await;
            self.settle().await;
            // Which of the two comes first at one moment is nobody's promise: the lane says, and either is sound.
            let late: Vec<usize> =
                self.queue.iter().copied().filter(|waiter| self.waiters[waiter].expires <= at).collect();
            if opens == Some(at) {
                self.holder = Holder::Nobody;
            }
            self.heard_at(at, &late);
        }
        tokio::time::advance(Duration::from_millis(end.saturating_sub(self.now()))).await;
        self.settle().await;
    }

    /// Takes what the lane did at a moment at which these waiters' budgets end.
    fn heard_at(&mut self, at: u64, late: &[usize]) {
        let mut gave_up: Vec<usize> = Vec::new();
        while let Ok((who, result, when)) = self.seen.try_recv() {
            assert_eq!(when, at, "waiter {who} was told at another moment");
            match result {
                Ok(turn) => {
                    assert_eq!(self.holder, Holder::Nobody, "waiter {who} entered beside another");
                    let before: Vec<usize> = self.queue.iter().copied().take_while(|waiter| *waiter != who).collect();
                    let overtaken: Vec<&usize> = before.iter().filter(|waiter| !late.contains(waiter)).collect();
                    assert!(overtaken.is_empty(), "waiter {who} overtook {overtaken:?}");
                    self.queue.retain(|waiter| *waiter != who);
                    self.waiters.remove(&who);
                    self.holder = Holder::Turn(who);
                    self.turns.insert(who, turn);
                }
                Err(failure) => {
                    assert_eq!(failure.code, Code::Timeout, "waiter {who}");
                    assert!(late.contains(&who), "waiter {who} gave up early");
                    gave_up.push(who);
                }
            }
        }
        for who in late {
            let entered = self.holder == Holder::Turn(*who);
            assert!(entered || gave_up.contains(who), "waiter {who} outlived its budget");
            self.queue.retain(|waiter| waiter != who);
            self.waiters.remove(who);
        }
        assert!(
            self.queue.is_empty() || self.holder != Holder::Nobody,
            "the lane is lost: {:?} wait for nobody",
            self.queue
        );
    }

    /// Compares what the lane did without time passing.
    fn heard(&mut self) {
        while let Ok((who, result, when)) = self.seen.try_recv() {
            let end = match &result {
                Ok(_) => End::Entered,
                Err(failure) if failure.code == Code::Cancelled => End::Cancelled,
                Err(_) => End::Expired,
            };
            assert_eq!(Some((who, end, when)), self.expected.pop_front());
            if let Ok(turn) = result {
                self.turns.insert(who, turn);
            }
        }
        assert!(self.expected.is_empty(), "{:?} did not happen", self.expected);
    }

    async fn apply(&mut self, step: &Step) {
        let now = self.now();
        match step {
            Step::Enter { budget_ms } => {
                let (number, token) = (self.asked, CancellationToken::new());
                self.asked += 1;
                let budget = Budget::new(Duration::from_millis(*budget_ms), token.clone());
                let (lane, tell, started) = (Arc::clone(&self.lane), self.tell.clone(), self.started);
                let task = tokio::spawn(async move {
                    let entered = lane.enter(&budget).await;
                    let _ = tell.send((number, entered, u64::try_from(started.elapsed().as_millis()).unwrap()));
                });
                self.waiters.insert(number, Waiter { token, task, expires: now + budget_ms });
                self.queue.push_back(number);
                self.admit(now);
            }
            Step::Cancel { which } | Step::Abort { which } if self.queue.is_empty() => {
                let _ = which;
            }
            Step::Cancel { which } => {
                let who = self.queue.remove(which % self.queue.len()).unwrap();
                self.waiters.remove(&who).unwrap().token.cancel();
                self.expected.push_back((who, End::Cancelled, now));
            }
            Step::Abort { which } => {
                let who = self.queue.remove(which % self.queue.len()).unwrap();
                self.waiters.remove(&who).unwrap().task.abort();
            }
            Step::Release | Step::Leave { .. } if !matches!(self.holder, Holder::Turn(_)) => {}
            Step::Release => {
                let turn = self.turns.pop_first().unwrap().1;
                drop(turn);
                self.holder = Holder::Nobody;
                self.admit(now);
            }
            Step::Leave { over_ms, until_ms } => {
                let turn = self.turns.pop_first().unwrap().1;
                let at = |ms: &u64| Instant::now() + Duration::from_millis(*ms);
                let device = Arc::new(Fake { over_at: Some(at(over_ms)), ..Fake::new("android", vec![]) });
                let key = DeviceKey { platform: "android", id: "a".to_owned() };
                let pinned = Pinned { key, connection: 1, model: None };
                turn.leave_behind(device, pinned, Leftover { pid: Some(7), note: None, until: at(until_ms) });
                self.holder = Holder::Leftover { since: now, opens: now + opens_after(*over_ms, *until_ms) };
                if opens_after(*over_ms, *until_ms) == 0 {
                    self.holder = Holder::Nobody;
                    self.admit(now);
                }
            }
            Step::Advance(ms) => return self.advance(*ms).await,
        }
        self.settle().await;
        self.heard();
        assert!(self.turns.len() <= 1, "two have the lane");
    }
}

proptest! {
    // The same schedules each time: what fails once fails again.
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(20_261_130), ..ProptestConfig::default() })]

    #[test]
    fn a_lane_is_one_fair_queue_whatever_the_schedule(script in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let mut model = Model::new();
            for step in &script {
                model.apply(step).await;
            }
            // Nothing is lost: once all that holds it is over, the next one enters at once.
            model.turns.clear();
            for (_, waiter) in std::mem::take(&mut model.waiters) {
                waiter.task.abort();
            }
            tokio::time::advance(Duration::from_secs(10)).await;
            model.settle().await;
            let turn = model.lane.enter(&Budget::new(Duration::from_millis(1), CancellationToken::new())).await;
            assert!(turn.is_ok(), "the lane stayed shut: {turn:?}");
        });
    }
}
