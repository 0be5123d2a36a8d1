//! A series of fresh reads of one device on one budget, counted and paced.

use std::sync::Arc;
use std::time::Duration;

use handset_model::snapshot::Observation;
use handset_model::{Code, Failure};
use tokio::time::Instant;

use crate::budget::{Budget, Stopped};
use crate::device::Session;
use crate::plugin::TimelineData;
use crate::request::{Purpose, Request};

/// At most this many observations of a wait are kept for its classifiers.
const KEPT: usize = 16;

/// One question about the app in front, which the device itself bounds by two seconds.
const PROBE: Duration = Duration::from_secs(5);

/// When the next read begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Now: it confirms the one before.
    AtOnce,
    /// A poll interval after the last one began; the first one at once.
    Interval,
    /// This long after the last one ended.
    Gap(Duration),
}

/// Why a series ended without its evidence.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Its time ran out.
    Deadline,
    /// The client cancelled.
    Cancelled,
    /// The device cannot be read at all.
    Fatal(Failure),
}

/// A series of reads.
#[derive(Debug)]
pub struct Reads<'a> {
    session: &'a Session,
    request: &'a Request,
    purpose: Purpose,
    budget: Budget,
    interval: Duration,
    last_started: Option<Instant>,
    last_ended: Option<Instant>,
    started: Instant,
    /// Beside each read that is assessed, the app is asked about: see [`Reads::probe`].
    pub probing: bool,
    /// What the last probe could not tell.
    pub unprobed: Vec<String>,
    /// What was seen, for classifiers and evidence; the newest 16 reads.
    pub timeline: TimelineData,
    /// Successful reads.
    pub successes: u32,
    /// The last failed read.
    pub last_failure: Option<Failure>,
    /// How long the last read took that was not cut by the deadline; zero before there was one.
    pub read_took: Duration,
    /// How long the read had run that the deadline cut, if it cut one.
    pub cut_after: Option<Duration>,
    /// Set once the series is over.
    pub end: Option<End>,
}

impl<'a> Reads<'a> {
    /// A series for one `purpose` on `budget`, a read every `interval` unless its caller paces it otherwise.
    #[must_use]
    pub fn new(
        session: &'a Session,
        request: &'a Request,
        purpose: Purpose,
        budget: Budget,
        interval: Duration,
    ) -> Self {
        Self {
            session,
            request,
            purpose,
            budget,
            interval,
            last_started: None,
            last_ended: None,
            started: Instant::now(),
            probing: false,
            unprobed: Vec::new(),
            timeline: TimelineData::default(),
            successes: 0,
            last_failure: None,
            read_took: Duration::ZERO,
            cut_after: None,
            end: None,
        }
    }

    /// The next successful read, or `None` with [`Reads::end`] set. A read that fails in a way that may pass is
    /// tried again at the poll interval.
    pub async fn next(&mut self, pace: Pace) -> Option<Arc<Observation>> {
        let mut pace = pace;
        loop {
            match self.once(pace).await {
                None if self.end.is_none() => pace = Pace::Interval,
                read => return read,
            }
        }
    }

    /// One read: `None` where it failed, with [`Reads::end`] set where no other could succeed.
    pub async fn once(&mut self, pace: Pace) -> Option<Arc<Observation>> {
        if let Err(stopped) = self.wait(pace).await {
            self.end = Some(stopped.into());
            return None;
        }
        let began = Instant::now();
        self.last_started = Some(began);
        let result = self.session.observe(self.request, self.purpose, &self.budget).await;
        self.last_ended = Some(Instant::now());
        if result.is_ok() || self.budget.check().is_ok() {
            self.read_took = began.elapsed();
        } else {
            self.cut_after = Some(began.elapsed());
        }
        match result {
            Ok(observation) => Some(self.keep(observation)),
            Err(failure) => {
                self.failed(failure);
                None
            }
        }
    }

    /// Asks about the app in front, where this series does: in a turn of its own right after a read, on the series' budget.
    /// What cannot be told is a limitation, and the classifiers are not told it.
    pub async fn probe(&mut self) {
        if !self.probing {
            return;
        }
        self.timeline.probes.clear();
        self.unprobed.clear();
        let latest = self.timeline.observations.last();
        let package = latest.and_then(|seen| seen.screen.package.clone().or_else(|| seen.tree.package.clone()));
        let budget = self.budget.child(PROBE);
        let asked = async {
            let turn = self.session.enter(self.request, &budget).await?;
            let told = self.session.adapter.probe(&self.session.pinned, package.as_deref(), &budget).await;
            drop(turn);
            told
        };
        match self.request.timings.time("metadata_ms", asked).await {
            Ok(told) => {
                self.timeline.probes = told.facts;
                self.unprobed = told.limitations;
            }
            Err(failure) => self.unprobed.push(format!("probes_failed: {}", failure.code)),
        }
    }

    fn failed(&mut self, failure: Failure) {
        self.timeline.failures.push((failure.code.to_string(), self.session.screens.clock().now_ms()));
        if let Some(end) = fatal(&failure) {
            self.last_failure = Some(failure);
            self.end = Some(end);
            return;
        }
        let out_of_time = failure.code == Code::Timeout && self.budget.check().is_err();
        // A read cut by our own deadline says less than the failure before it.
        if !(out_of_time && self.last_failure.is_some()) {
            self.last_failure = Some(failure);
        }
        if let Err(stopped) = self.budget.check() {
            self.end = Some(stopped.into());
        }
    }

    /// Milliseconds since the series began.
    #[must_use]
    pub fn elapsed_ms(&self) -> f64 {
        crate::request::ms(self.started.elapsed())
    }

    /// The failure of a series that saw nothing at all; `None` once one read succeeded or time merely ran out between reads.
    #[must_use]
    pub fn saw_nothing(&self) -> Option<Failure> {
        match &self.end {
            Some(End::Fatal(failure)) => Some(failure.clone()),
            Some(End::Cancelled) => Some(Failure::new(Code::Cancelled, "cancelled while reading the screen")),
            _ if self.successes == 0 => Some(
                self.last_failure
                    .clone()
                    .unwrap_or_else(|| Failure::new(Code::Timeout, "no read of the screen was begun in time")),
            ),
            _ => None,
        }
    }

    /// What the deadline cut, for the answer: reads done of reads needed, how long a read takes, what to raise.
    #[must_use]
    pub fn shortfall(&self, done: u32, needed: u32, raise: &str) -> String {
        format!("the time ran out with {done} of {needed} satisfying reads; {}; raise {raise}", self.spent())
    }

    /// How the time was spent.
    #[must_use]
    pub fn spent(&self) -> String {
        let mut spent = format!("{} reads succeeded, {} failed", self.successes, self.timeline.failures.len());
        if self.read_took > Duration::ZERO {
            spent.push_str(&format!(", one takes about {} ms", self.read_took.as_millis()));
        }
        if let Some(cut) = self.cut_after {
            spent.push_str(&format!(", the last was cut after {} ms", cut.as_millis()));
        }
        spent
    }

    fn keep(&mut self, observation: Arc<Observation>) -> Arc<Observation> {
        self.successes += 1;
        // How many reads a wait will need is not known: it only tells that it goes on.
        self.request.progress(0.0, None, format!("{} reads of the screen", self.successes));
        self.timeline.observations.push(Arc::clone(&observation));
        if self.timeline.observations.len() > KEPT {
            self.timeline.observations.remove(0);
        }
        observation
    }

    async fn wait(&self, pace: Pace) -> Result<(), Stopped> {
        self.budget.check()?;
        let due = match pace {
            Pace::AtOnce => None,
            Pace::Interval => self.last_started.map(|at| at + self.interval),
            Pace::Gap(gap) => self.last_ended.map(|at| at + gap),
        };
        match due {
            Some(due) => {
                let pause = self.budget.pause(due.saturating_duration_since(Instant::now()));
                self.request.timings.time("observation_wait_ms", pause).await
            }
            None => Ok(()),
        }
    }
}

impl From<Stopped> for End {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Expired => Self::Deadline,
            Stopped::Cancelled => Self::Cancelled,
        }
    }
}

/// Failures that no further read of this series can mend.
fn fatal(failure: &Failure) -> Option<End> {
    match failure.code {
        Code::Cancelled => Some(End::Cancelled),
        Code::DeviceNotFound
        | Code::DeviceOffline
        | Code::AmbiguousDevice
        | Code::ToolNotFound
        | Code::AdbVersionConflict
        | Code::Unsupported => Some(End::Fatal(failure.clone())),
        _ => None,
    }
}
