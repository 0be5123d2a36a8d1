//! What a plugin's calls cost: how many, and how long the last of them took.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde_json::{Map, Value, json};

/// Calls of a function whose times are remembered.
const REMEMBERED: usize = 256;

/// The calls of one plugin, by exported function, such as `step.run`.
#[derive(Debug, Default)]
pub(super) struct Costs(BTreeMap<String, Cost>);

#[derive(Debug, Default)]
struct Cost {
    calls: u64,
    /// Milliseconds, the newest last.
    recent: VecDeque<f64>,
}

impl Costs {
    /// A call of `function` (with or without what it was asked for) is over.
    pub(super) fn add(&mut self, function: &str, took: Duration) {
        // The interfaces have a handful of functions: so has this.
        let function = function.split(' ').next().unwrap_or_default();
        let cost = self.0.entry(function.to_owned()).or_default();
        cost.calls += 1;
        if cost.recent.len() == REMEMBERED {
            cost.recent.pop_front();
        }
        cost.recent.push_back(took.as_secs_f64() * 1_000.0);
    }

    /// All calls.
    pub(super) fn calls(&self) -> u64 {
        self.0.values().map(|cost| cost.calls).sum()
    }

    /// `{"step.run": {calls, p50_ms, p95_ms}}`, the times those of the last 256 calls of each.
    pub(super) fn describe(&self) -> Value {
        let of = |(function, cost): (&String, &Cost)| {
            let mut sorted: Vec<f64> = cost.recent.iter().copied().collect();
            sorted.sort_by(f64::total_cmp);
            let at = |percent: usize| {
                let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
                sorted.get(rank).map(|ms| (ms * 1_000.0).round() / 1_000.0)
            };
            (function.clone(), json!({ "calls": cost.calls, "p50_ms": at(50), "p95_ms": at(95) }))
        };
        Value::Object(self.0.iter().map(of).collect::<Map<_, _>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_last_calls() {
        let mut costs = Costs::default();
        for _ in 0..1_000 {
            costs.add("step.run old", Duration::from_secs(9));
        }
        for ms in 1..=256 {
            costs.add("step.run new", Duration::from_millis(ms));
        }
        costs.add("step.validate new", Duration::from_micros(1_500));
        assert_eq!(
            costs.describe(),
            json!({
                "step.run": { "calls": 1_256, "p50_ms": 128.0, "p95_ms": 244.0 },
                "step.validate": { "calls": 1, "p50_ms": 1.5, "p95_ms": 1.5 },
            })
        );
        assert_eq!(costs.calls(), 1_257);
    }
}
