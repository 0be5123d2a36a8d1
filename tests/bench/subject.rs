//! One subject's run: how often, in turns, and where its figures go.

use crate::machine;
use crate::report::{Row, Subject};

/// How often things are measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runs {
    /// Given by `--runs`.
    pub(crate) fixed: Option<usize>,
    /// `--quick`.
    pub(crate) quick: bool,
    /// Minutes of the soak.
    pub(crate) minutes: f64,
}

impl Runs {
    /// `usual` times, unless told otherwise.
    pub(crate) fn of(self, usual: usize) -> usize {
        self.fixed.unwrap_or(if self.quick { usual.div_ceil(8).max(3) } else { usual })
    }
}

impl Subject {
    /// A subject that begins now.
    pub(crate) fn begin(name: &str, title: &str, about: &str, runs: Runs) -> Self {
        Self {
            name: name.to_owned(),
            title: title.to_owned(),
            about: about.to_owned(),
            load_at_start: machine::load(),
            taken: machine::now(),
            commit: machine::commit(),
            quick: runs.quick || runs.fixed.is_some(),
            ..Self::default()
        }
    }

    /// One more row.
    pub(crate) fn row(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// One more sentence.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }
}

/// Measures two things in turns, `count` times each after `warm` that do not count; milliseconds.
pub(crate) async fn in_turns(
    count: usize,
    warm: usize,
    mut one: impl AsyncFnMut() -> f64,
    mut other: impl AsyncFnMut() -> f64,
) -> (Vec<f64>, Vec<f64>) {
    let (mut of_one, mut of_other) = (Vec::new(), Vec::new());
    for round in 0..warm + count {
        let (a, b) = if round % 2 == 0 { (one().await, other().await) } else { swap(other().await, one().await) };
        if round >= warm {
            of_one.push(a);
            of_other.push(b);
        }
    }
    (of_one, of_other)
}

fn swap(b: f64, a: f64) -> (f64, f64) {
    (a, b)
}

/// Times something that does not wait; milliseconds.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> f64 {
    let began = std::time::Instant::now();
    let done = std::hint::black_box(work());
    let took = began.elapsed().as_secs_f64() * 1_000.0;
    drop(done);
    took
}
