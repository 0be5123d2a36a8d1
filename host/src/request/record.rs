//! What a request cost, and why (contract §12): every physical read once, who used it, and the parts of the time
//! around it. Counts and durations only: no screen text, app ids or serials.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use handset_model::Code;
use serde_json::{Map, Value, json};

use super::{Timings, ms, round};

/// Reads of one request whose records are kept; of later ones only the sums are.
const KEPT: usize = 4_096;

/// Why a screen was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To find what an input is aimed at.
    Target,
    /// To see what an input did.
    Verification,
    /// To decide a wait or an expectation.
    Assertion,
    /// To decide whether a guarded input may go.
    Condition,
    /// To tell whether the screen is ready.
    Readiness,
    /// For a failure's snapshot.
    Debug,
    /// The screen is itself the answer.
    Answer,
}

impl Purpose {
    /// The name in records.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Target => "target",
            Self::Verification => "verification",
            Self::Assertion => "assertion",
            Self::Condition => "condition",
            Self::Readiness => "readiness",
            Self::Debug => "debug",
            Self::Answer => "answer",
        }
    }
}

/// One physical read as its adapter made it, a failed one too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhysicalRead {
    /// Waited on purpose before it, after one that failed.
    pub waited: Duration,
    /// The platform's own command, from its start to its end.
    pub read: Duration,
    /// From its bytes to a tree.
    pub parse: Duration,
    /// Why it brought no tree.
    pub failed: Option<Code>,
}

/// A journey's step; `None` outside of one.
pub(super) type Step = Option<Arc<str>>;

/// The record of one request, shared by everything nested in it.
#[derive(Clone, Debug, Default)]
pub struct Record(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    reads: u64,
    failed: u64,
    reused: u64,
    dispatches: u32,
    sums: BTreeMap<&'static str, f64>,
    acquisitions: Vec<Acquisition>,
    consumers: Vec<(u64, Step, Purpose)>,
    verifications: Vec<Verification>,
    /// Verifications that the next read serves too: places in `verifications`.
    declared: Vec<usize>,
    timings: Vec<(Step, Timings)>,
}

#[derive(Debug)]
struct Acquisition {
    id: u64,
    step: Step,
    purpose: Purpose,
    follows_dispatch: u32,
    read: PhysicalRead,
}

#[derive(Debug)]
struct Verification {
    step: Step,
    mode: &'static str,
    budget: Option<Duration>,
    began: Instant,
    elapsed: Option<Duration>,
    outcome: &'static str,
}

impl Record {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn timed(&self, step: Step, timings: Timings) {
        self.inner().timings.push((step, timings));
    }

    /// One acquisition of a tree: its physical reads in order, the last of which is used when it `succeeded`. Whoever
    /// was declared before it is served by it as well.
    pub(super) fn acquired(&self, step: &Step, purpose: Purpose, reads: &[PhysicalRead], succeeded: bool) {
        let mut inner = self.inner();
        for read in reads {
            inner.reads += 1;
            inner.failed += u64::from(read.failed.is_some());
            for (part, spent) in
                [("tree_read_ms", read.read), ("parse_ms", read.parse), ("observation_wait_ms", read.waited)]
            {
                *inner.sums.entry(part).or_insert(0.0) += ms(spent);
            }
            if inner.acquisitions.len() < KEPT {
                let (id, follows_dispatch) = (inner.reads, inner.dispatches);
                inner.acquisitions.push(Acquisition { id, step: step.clone(), purpose, follows_dispatch, read: *read });
            }
        }
        if !succeeded || reads.is_empty() {
            return;
        }
        let id = inner.reads;
        if inner.consumers.len() < KEPT {
            inner.consumers.push((id, step.clone(), purpose));
        }
        for place in std::mem::take(&mut inner.declared) {
            inner.reused += 1;
            if let Some(verification) = inner.verifications.get_mut(place) {
                verification.elapsed = Some(verification.began.elapsed());
                verification.outcome = "observed";
                let step = verification.step.clone();
                inner.consumers.push((id, step, Purpose::Verification));
            }
        }
    }

    /// An input is being sent: what was read before it is no evidence of anything after it.
    pub(super) fn dispatching(&self) {
        let mut inner = self.inner();
        inner.dispatches += 1;
        inner.declared.clear();
    }

    /// A light verification that the next read of this request serves: a consumer declared before that read begins.
    pub(super) fn declare(&self, step: &Step) {
        let mut inner = self.inner();
        let place = inner.verifications.len();
        inner.verifications.push(Verification {
            step: step.clone(),
            mode: "light",
            budget: None,
            began: Instant::now(),
            elapsed: None,
            outcome: "unavailable",
        });
        inner.declared.push(place);
    }

    pub(super) fn verified(
        &self,
        step: &Step,
        mode: &'static str,
        budget: Duration,
        began: Instant,
        outcome: &'static str,
    ) {
        self.inner().verifications.push(Verification {
            step: step.clone(),
            mode,
            budget: Some(budget),
            began,
            elapsed: Some(began.elapsed()),
            outcome,
        });
    }

    /// Physical reads so far, failed ones too.
    #[must_use]
    pub fn physical_tree_reads(&self) -> u64 {
        self.inner().reads
    }

    /// The record as one object, by step and purpose, with its sums.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let inner = self.inner();
        let mut totals: BTreeMap<&'static str, f64> = inner.sums.clone();
        let mut steps: Vec<(&Step, BTreeMap<&'static str, f64>)> = Vec::new();
        for (step, timings) in &inner.timings {
            let at = steps.iter().position(|(known, _)| *known == step).unwrap_or_else(|| {
                steps.push((step, BTreeMap::new()));
                steps.len() - 1
            });
            for (part, spent) in timings.parts() {
                *totals.entry(part).or_insert(0.0) += spent;
                if let Some((_, parts)) = steps.get_mut(at) {
                    *parts.entry(part).or_insert(0.0) += spent;
                }
            }
        }
        let mut all = Map::new();
        all.insert("physical_tree_reads".into(), json!(inner.reads));
        all.insert("failed_tree_reads".into(), json!(inner.failed));
        all.insert("reused_observations".into(), json!(inner.reused));
        all.insert("dispatches".into(), json!(inner.dispatches));
        all.extend(rounded(&totals));
        json!({
            "totals": all,
            "steps": steps.iter().filter(|(_, parts)| !parts.is_empty()).map(|(step, parts)| {
                let mut shown = Map::new();
                shown.insert("step".into(), json!(step.as_deref()));
                shown.extend(rounded(parts));
                Value::Object(shown)
            }).collect::<Vec<_>>(),
            "acquisitions": inner.acquisitions.iter().map(Acquisition::to_json).collect::<Vec<_>>(),
            "consumers": inner.consumers.iter().map(|(id, step, purpose)| {
                json!({ "acquisition": id, "step": step.as_deref(), "purpose": purpose.as_str() })
            }).collect::<Vec<_>>(),
            "verifications": inner.verifications.iter().map(Verification::to_json).collect::<Vec<_>>(),
        })
    }
}

fn rounded(parts: &BTreeMap<&'static str, f64>) -> Map<String, Value> {
    parts.iter().map(|(part, spent)| ((*part).to_owned(), json!(round(*spent)))).collect()
}

impl Acquisition {
    fn to_json(&self) -> Value {
        json!({
            "id": self.id,
            "step": self.step.as_deref(),
            "purpose": self.purpose.as_str(),
            "phase": if self.follows_dispatch == 0 { "before_dispatch" } else { "after_dispatch" },
            "follows_dispatch": self.follows_dispatch,
            "tree_read_ms": round(ms(self.read.read)),
            "parse_ms": round(ms(self.read.parse)),
            "observation_wait_ms": round(ms(self.read.waited)),
            "failed": self.read.failed,
        })
    }
}

impl Verification {
    fn to_json(&self) -> Value {
        json!({
            "step": self.step.as_deref(),
            "mode": self.mode,
            "verification_budget_ms": self.budget.map(|budget| round(ms(budget))),
            "verification_elapsed_ms": self.elapsed.map(|elapsed| round(ms(elapsed))),
            "verification_outcome": self.outcome,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &str) -> Step {
        Some(Arc::from(name))
    }

    fn read(failed: Option<Code>) -> PhysicalRead {
        PhysicalRead {
            waited: Duration::from_millis(5),
            read: Duration::from_millis(20),
            parse: Duration::from_millis(1),
            failed,
        }
    }

    #[test]
    fn a_failed_acquisition_is_counted_once_and_serves_nobody() {
        let record = Record::default();
        record.declare(&step("tap"));
        record.acquired(&step("look"), Purpose::Assertion, &[read(Some(Code::NullRoot))], false);
        let told = record.to_json();
        assert_eq!(told["totals"]["physical_tree_reads"], 1);
        assert_eq!(told["totals"]["failed_tree_reads"], 1);
        assert_eq!(told["totals"]["reused_observations"], 0);
        assert_eq!(told["consumers"], json!([]));
        assert_eq!(told["verifications"][0]["verification_outcome"], "unavailable");
    }

    #[test]
    fn a_read_that_serves_a_declared_verification_is_one_read_with_two_consumers() {
        let record = Record::default();
        record.dispatching();
        record.declare(&step("tap"));
        record.acquired(&step("look"), Purpose::Assertion, &[read(Some(Code::NullRoot)), read(None)], true);
        record.acquired(&step("look"), Purpose::Assertion, &[read(None)], true);
        let told = record.to_json();
        assert_eq!(told["totals"]["physical_tree_reads"], 3);
        assert_eq!(told["totals"]["reused_observations"], 1);
        assert_eq!(told["totals"]["tree_read_ms"], 60.0);
        assert_eq!(
            told["consumers"],
            json!([
                { "acquisition": 2, "step": "look", "purpose": "assertion" },
                { "acquisition": 2, "step": "tap", "purpose": "verification" },
                { "acquisition": 3, "step": "look", "purpose": "assertion" },
            ])
        );
        assert_eq!(told["verifications"][0]["verification_outcome"], "observed");
    }

    #[test]
    fn nothing_declared_before_an_input_is_served_by_a_read_after_it() {
        let record = Record::default();
        record.declare(&step("first"));
        record.dispatching();
        record.acquired(&step("second"), Purpose::Target, &[read(None)], true);
        let told = record.to_json();
        assert_eq!(told["totals"]["reused_observations"], 0);
        assert_eq!(told["acquisitions"][0]["phase"], "after_dispatch");
    }
}
