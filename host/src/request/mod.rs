//! What every call carries: its id, its timings, the record of its reads, where its progress goes.

mod record;

pub use record::{PhysicalRead, Purpose, Record};

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

/// Where a request's progress is shown; absent when the client sent no token.
pub type ProgressSink = Arc<dyn Fn(f64, Option<f64>, String) + Send + Sync>;

/// One call of one tool, from its arrival to its answer.
#[derive(Clone)]
pub struct Request {
    /// Names the request in answers and logs: `a-` and a number, unique in this process.
    pub id: String,
    /// Ends all work of this request.
    pub cancel: CancellationToken,
    /// Durations by contract name, added to as work is done.
    pub timings: Timings,
    /// What it cost, shared with everything nested in it.
    pub record: Record,
    step: record::Step,
    progress: Option<ProgressSink>,
    progressed: Arc<Mutex<f64>>,
}

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request").field("id", &self.id).finish_non_exhaustive()
    }
}

static NEXT: AtomicU64 = AtomicU64::new(1);

impl Request {
    /// A request that `cancel` ends; `progress` is absent when nobody asked for it.
    #[must_use]
    pub fn new(cancel: CancellationToken, progress: Option<ProgressSink>) -> Self {
        Self::under(Record::default(), None, cancel, progress)
    }

    fn under(record: Record, step: record::Step, cancel: CancellationToken, progress: Option<ProgressSink>) -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let timings = Timings::start();
        record.timed(step.clone(), timings.clone());
        Self {
            id: format!("a-{number}"),
            cancel,
            timings,
            record,
            step,
            progress,
            progressed: Arc::new(Mutex::new(-1.0)),
        }
    }

    /// The same client's next piece of work: own id and timings, shared cancellation, progress and record.
    #[must_use]
    pub fn nested(&self) -> Self {
        let mut nested =
            Self::under(self.record.clone(), self.step.clone(), self.cancel.clone(), self.progress.clone());
        nested.progressed = Arc::clone(&self.progressed);
        nested
    }

    /// As [`Request::nested`], for a step of a journey: its reads are recorded under the step's id.
    #[must_use]
    pub fn nested_step(&self, id: &str) -> Self {
        let mut inside = self.clone();
        inside.step = Some(Arc::from(id));
        inside.nested()
    }

    /// Records one acquisition of a tree: its physical reads in order, and whether the last brought one.
    pub fn acquired(&self, purpose: Purpose, reads: &[PhysicalRead], succeeded: bool) {
        self.record.acquired(&self.step, purpose, reads, succeeded);
    }

    /// Records that an input is being sent.
    pub fn dispatching(&self) {
        self.record.dispatching();
    }

    /// Records that the light verification of an input just sent is served by the next read of this client's request.
    pub fn declare_verification(&self) {
        self.record.declare(&self.step);
    }

    /// Records a verification that made its own reads, on its `budget`, since `began`.
    pub fn verified(&self, mode: &'static str, budget: std::time::Duration, began: Instant, outcome: &'static str) {
        self.record.verified(&self.step, mode, budget, began, outcome);
    }

    /// Tells the client how far this is. Values rise: one that would not is moved up a little.
    pub fn progress(&self, done: f64, total: Option<f64>, message: impl Into<String>) {
        let Some(sink) = &self.progress else { return };
        let mut last = self.progressed.lock().unwrap_or_else(PoisonError::into_inner);
        // MCP: the value must increase with each notification, also where steps report inside a step.
        let value = if done > *last { done } else { *last + 0.001 };
        *last = value;
        sink(value, total, message.into());
    }
}

/// Contract §5's parts, which answers show; those of contract §12 are for the record alone.
const SHOWN: [&str; 11] = [
    "device_resolution_ms",
    "pre_observation_ms",
    "target_resolution_ms",
    "condition_ms",
    "dispatch_ms",
    "post_observation_ms",
    "verification_ms",
    "plugin_ms",
    "queue_ms",
    "screenshot_ms",
    "serialization_ms",
];

/// Monotonic durations of one request, by the names of contract §5 and §12.
#[derive(Clone, Debug)]
pub struct Timings {
    started: Instant,
    parts: Arc<Mutex<BTreeMap<&'static str, f64>>>,
}

impl Timings {
    /// Starts counting now.
    #[must_use]
    pub fn start() -> Self {
        Self { started: Instant::now(), parts: Arc::default() }
    }

    /// Adds to a part, milliseconds.
    pub fn add(&self, part: &'static str, ms: f64) {
        *self.parts.lock().unwrap_or_else(PoisonError::into_inner).entry(part).or_insert(0.0) += ms;
    }

    /// Drives `work` and adds what it took to `part`.
    pub async fn time<T>(&self, part: &'static str, work: impl Future<Output = T>) -> T {
        let started = Instant::now();
        let done = work.await;
        self.add(part, ms(started.elapsed()));
        done
    }

    /// Milliseconds since the request came in.
    #[must_use]
    pub fn total_ms(&self) -> f64 {
        ms(self.started.elapsed())
    }

    /// `{total_ms}`.
    #[must_use]
    pub fn compact(&self) -> Value {
        json!({ "total_ms": round(self.total_ms()) })
    }

    /// Every part that took place, with its milliseconds.
    #[must_use]
    pub fn parts(&self) -> BTreeMap<&'static str, f64> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// `total_ms` and every part that took place of those that answers show.
    #[must_use]
    pub fn full(&self) -> Value {
        let mut all = Map::new();
        all.insert("total_ms".into(), json!(round(self.total_ms())));
        for (part, ms) in self.parts() {
            if SHOWN.contains(&part) {
                all.insert(part.into(), json!(round(ms)));
            }
        }
        Value::Object(all)
    }
}

/// A duration in milliseconds.
#[must_use]
pub fn ms(duration: std::time::Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// Milliseconds as answers show them: to a tenth.
#[must_use]
pub fn round(ms: f64) -> f64 {
    (ms * 10.0).round() / 10.0
}
