//! Budgets under random schedules on a paused clock, against the simplest model of them.
#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

/// What happens; a budget is meant by its number, modulo how many there are.
#[derive(Clone, Debug)]
enum Step {
    Child { of: usize, total: u64 },
    Detach { of: usize },
    Cancel { whose: usize },
    Advance(u64),
    Run { on: usize, work: u64 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let total = prop_oneof![Just(0), 1u64..2_000, Just(u64::MAX)];
    let step = prop_oneof![
        4 => (any::<usize>(), total).prop_map(|(of, total)| Step::Child { of, total }),
        2 => any::<usize>().prop_map(|of| Step::Detach { of }),
        1 => any::<usize>().prop_map(|whose| Step::Cancel { whose }),
        3 => (0u64..700).prop_map(Step::Advance),
        2 => (any::<usize>(), 0u64..900).prop_map(|(on, work)| Step::Run { on, work }),
    ];
    prop::collection::vec(step, 1..60)
}

/// What a budget is in the model: when it ends, and under which token it stands.
struct Known {
    budget: Budget,
    ends_ms: u128,
    token: usize,
    parent: Option<usize>,
    last_remaining: Duration,
}

/// A token, and the one above it.
struct Token {
    real: CancellationToken,
    above: Option<usize>,
    cancelled: bool,
}

struct Model {
    started: Instant,
    budgets: Vec<Known>,
    tokens: Vec<Token>,
}

impl Model {
    fn new(total: u64) -> Self {
        let token = CancellationToken::new();
        let budget = Budget::new(Duration::from_millis(total), token.clone());
        let last_remaining = budget.remaining();
        let known = Known { budget, ends_ms: u128::from(total), token: 0, parent: None, last_remaining };
        let token = Token { real: token, above: None, cancelled: false };
        Self { started: Instant::now(), budgets: vec![known], tokens: vec![token] }
    }

    fn now(&self) -> u128 {
        self.started.elapsed().as_millis()
    }

    fn is_cancelled(&self, token: usize) -> bool {
        let mut at = Some(token);
        while let Some(token) = at {
            if self.tokens[token].cancelled {
                return true;
            }
            at = self.tokens[token].above;
        }
        false
    }

    /// Why work on a budget may not go on at a moment.
    fn stopped(&self, budget: usize, now: u128) -> Option<Stopped> {
        let known = &self.budgets[budget];
        if self.is_cancelled(known.token) {
            return Some(Stopped::Cancelled);
        }
        (now >= known.ends_ms).then_some(Stopped::Expired)
    }

    async fn apply(&mut self, step: &Step) {
        let count = self.budgets.len();
        match step {
            Step::Child { of, total } => {
                let (parent, now) = (of % count, self.now());
                let budget = self.budgets[parent].budget.child(Duration::from_millis(*total));
                let ends_ms = self.budgets[parent].ends_ms.min(now + u128::from(*total));
                let (token, last_remaining) = (self.budgets[parent].token, budget.remaining());
                self.budgets.push(Known { budget, ends_ms, token, parent: Some(parent), last_remaining });
            }
            Step::Detach { of } => {
                let parent = of % count;
                let (budget, real) = self.budgets[parent].budget.detached();
                self.tokens.push(Token { real, above: Some(self.budgets[parent].token), cancelled: false });
                let (ends_ms, last_remaining) = (self.budgets[parent].ends_ms, budget.remaining());
                let token = self.tokens.len() - 1;
                self.budgets.push(Known { budget, ends_ms, token, parent: Some(parent), last_remaining });
            }
            Step::Cancel { whose } => {
                let token = whose % self.tokens.len();
                self.tokens[token].real.cancel();
                self.tokens[token].cancelled = true;
            }
            Step::Advance(ms) => tokio::time::advance(Duration::from_millis(*ms)).await,
            Step::Run { on, work } => {
                let on = on % count;
                let began = self.now();
                let expected = match self.stopped(on, began) {
                    Some(Stopped::Cancelled) => (Err(Stopped::Cancelled), began),
                    // At its very end, what is done is done.
                    // What is done at once is done, also at the very end.
                    _ if *work == 0 => (Ok(()), began),
                    Some(Stopped::Expired) => (Err(Stopped::Expired), began),
                    None if began + u128::from(*work) <= self.budgets[on].ends_ms => {
                        (Ok(()), began + u128::from(*work))
                    }
                    None => (Err(Stopped::Expired), self.budgets[on].ends_ms),
                };
                let work = Duration::from_millis(*work);
                let working = async {
                    if !work.is_zero() {
                        tokio::time::sleep(work).await;
                    }
                };
                let done = self.budgets[on].budget.run(working).await;
                assert_eq!((done, self.now()), expected, "work of {work:?}");
            }
        }
    }

    /// What holds at every moment.
    fn check(&mut self) {
        let now = self.now();
        for index in 0..self.budgets.len() {
            let expected = self.stopped(index, now);
            let known = &self.budgets[index];
            assert_eq!(known.budget.check().err(), expected, "budget {index} at {now} ms");
            assert_eq!(known.budget.cancel_token().is_cancelled(), expected == Some(Stopped::Cancelled));
            let remaining = known.budget.remaining();
            assert!(remaining <= known.last_remaining, "budget {index} grew: {remaining:?}");
            assert!(known.ends_ms > now || remaining.is_zero(), "budget {index} has {remaining:?} after its end");
            if let Some(parent) = known.parent {
                let parent = &self.budgets[parent];
                assert!(known.budget.deadline() <= parent.budget.deadline(), "budget {index} outlives its parent");
                assert!(!parent.budget.cancel_token().is_cancelled() || known.budget.cancel_token().is_cancelled());
            }
            self.budgets[index].last_remaining = remaining;
        }
    }
}

proptest! {
    // The same schedules each time: what fails once fails again.
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(20_261_130), ..ProptestConfig::default() })]

    #[test]
    fn nested_budgets_end_with_their_parents_whatever_the_schedule(total in 0u64..3_000, script in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let mut model = Model::new(total);
            for step in &script {
                model.apply(step).await;
                model.check();
            }
        });
    }
}
