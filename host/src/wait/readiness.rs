//! Is the app ready? Classifiers say what they see; the host enforces samples, gap, signatures and precedence.

use std::sync::Arc;
use std::time::{Duration, Instant};

use handset_model::snapshot::Observation;
use serde_json::{Value, json};

use super::{ElementEnd, ElementWait, End, Pace, Reads};
use crate::device::Screens;
use crate::plugin::{EvidenceNote, Plugins, ReadinessState, TimelineData, Voice};
use crate::request::{ms, round};

/// The host's verdict with everything it rests on (contract §9).
#[derive(Clone, Debug)]
pub struct ReadinessReport {
    /// The verdict.
    pub state: ReadinessState,
    /// Each voice's evidence, with the classifier that gave it.
    pub evidence: Vec<(String, EvidenceNote)>,
    /// Successful reads it rests on.
    pub samples: u32,
    /// How long the screen has been the same, milliseconds.
    pub stable_for_ms: f64,
    /// Why it could not say more.
    pub limitations: Vec<String>,
    /// What was not probed.
    pub unsupported: Vec<String>,
    /// Each classifier: its name, and its state or its fault.
    pub classifiers: Vec<Value>,
    /// When the last sample was captured.
    pub captured_at_ms: u64,
    /// Time spent in components.
    pub plugin_ms: f64,
}

impl ReadinessReport {
    /// What a tree shows of it: verdict and evidence. One sample cannot say more, and agents pay for each byte.
    #[must_use]
    pub fn summary(&self, timeline: &TimelineData) -> Value {
        let mut all = self.to_json(timeline);
        if let Value::Object(members) = &mut all {
            members.retain(|name, _| ["state", "evidence", "samples", "limitations"].contains(&name.as_str()));
        }
        all
    }

    /// The contract's `readiness` object.
    #[must_use]
    pub fn to_json(&self, timeline: &TimelineData) -> Value {
        let evidence: Vec<Value> =
            self.evidence.iter().map(|(source, note)| evidence_json(source, note, timeline)).collect();
        json!({
            "state": self.state.as_str(),
            "evidence": evidence,
            "samples": self.samples,
            "stable_for_ms": round(self.stable_for_ms),
            "limitations": self.limitations,
            "unsupported": self.unsupported,
            "classifiers": self.classifiers,
            "captured_at_ms": self.captured_at_ms,
        })
    }
}

/// One entry of `evidence`: the element is the host's own record of what the guest pointed at.
fn evidence_json(source: &str, note: &EvidenceNote, timeline: &TimelineData) -> Value {
    let mut shown = json!({ "signal": note.signal, "source": source, "heuristic": note.heuristic });
    if let Some((revision, index)) = note.at {
        let sample = timeline.observations.iter().rposition(|observation| observation.revision == revision);
        if let Some(sample) = sample {
            shown["sample"] = json!(sample);
            shown["element"] = element_label(&timeline.observations[sample], index);
        }
    }
    if let Some(detail) = &note.detail {
        shown["detail"] = json!(detail);
    }
    shown
}

fn element_label(observation: &Observation, index: u32) -> Value {
    let Some(element) = observation.tree.get(index) else { return Value::Null };
    let mut label = json!({ "index": index, "type": element.class, "bounds": element.bounds.to_array() });
    let texts =
        [("text", &element.text), ("contentDescription", &element.description), ("resourceId", &element.resource_id)];
    for (name, text) in texts {
        if let Some(text) = text {
            label[name] = json!(text);
        }
    }
    label
}

/// Asks every classifier about the samples so far and combines the voices.
pub async fn assess(plugins: &Plugins, timeline: &TimelineData, stability: Duration) -> ReadinessReport {
    let Some(latest) = timeline.observations.last() else {
        return unknown(0, 0, vec!["no_sample".to_owned()]);
    };
    let asked = Instant::now();
    let voices = plugins.classify(Arc::new(timeline.clone())).await;
    let plugin_ms = ms(asked.elapsed());
    let mut report =
        unknown(u32::try_from(timeline.observations.len()).unwrap_or(u32::MAX), latest.captured_at_ms, Vec::new());
    report.stable_for_ms = stable_for(&timeline.observations);
    report.plugin_ms = plugin_ms;
    for voice in &voices {
        hear(&mut report, voice);
    }
    if report.state == ReadinessState::Settled || report.state == ReadinessState::Unknown {
        enforce(&mut report, &timeline.observations, stability, &voices);
    }
    report
}

fn unknown(samples: u32, captured_at_ms: u64, limitations: Vec<String>) -> ReadinessReport {
    ReadinessReport {
        state: ReadinessState::Unknown,
        evidence: Vec::new(),
        samples,
        stable_for_ms: 0.0,
        limitations,
        unsupported: Vec::new(),
        classifiers: Vec::new(),
        captured_at_ms,
        plugin_ms: 0.0,
    }
}

fn hear(report: &mut ReadinessReport, voice: &Voice) {
    if let Some(fault) = &voice.fault {
        report.limitations.push(format!("classifier_left_out: {}", voice.classifier));
        report.classifiers.push(json!({ "name": voice.classifier, "error": fault.to_json() }));
        return;
    }
    report.classifiers.push(json!({ "name": voice.classifier, "state": voice.state.as_str() }));
    report.state = report.state.max(voice.state);
    report.evidence.extend(voice.evidence.iter().map(|note| (voice.classifier.clone(), note.clone())));
    for limitation in &voice.limitations {
        if !report.limitations.contains(limitation) {
            report.limitations.push(limitation.clone());
        }
    }
    for unsupported in &voice.unsupported {
        if !report.unsupported.contains(unsupported) {
            report.unsupported.push(unsupported.clone());
        }
    }
}

/// `settled` needs two samples of one device and session, equal, at least the stability window apart.
fn enforce(report: &mut ReadinessReport, samples: &[Arc<Observation>], stability: Duration, voices: &[Voice]) {
    let mut limit = |name: &str| {
        if !report.limitations.iter().any(|limitation| limitation == name) {
            report.limitations.push(name.to_owned());
        }
    };
    let [.., before, now] = samples else {
        report.state = ReadinessState::Unknown;
        limit("one_sample");
        return;
    };
    if (&before.device, before.connection, &before.session_id) != (&now.device, now.connection, &now.session_id) {
        report.state = ReadinessState::Unknown;
        limit("another_device");
        return;
    }
    if before.signature != now.signature {
        if voices.iter().any(|voice| voice.fault.is_none()) {
            report.state = ReadinessState::Transitioning;
        }
        return;
    }
    if report.state == ReadinessState::Settled && report.stable_for_ms + 0.5 < stability.as_secs_f64() * 1000.0 {
        report.state = ReadinessState::Unknown;
        limit("stability_window_not_reached");
    }
}

/// How long the run of equal newest samples spans, monotonic.
fn stable_for(samples: &[Arc<Observation>]) -> f64 {
    let Some(latest) = samples.last() else { return 0.0 };
    let same = |sample: &&Arc<Observation>| {
        sample.signature == latest.signature && sample.connection == latest.connection && sample.device == latest.device
    };
    let first = samples.iter().rev().take_while(same).last().unwrap_or(latest);
    latest.captured_ms - first.captured_ms
}

/// A wait for a state of readiness.
#[derive(Clone, Copy, Debug)]
pub struct ReadinessWait {
    /// What is waited for.
    pub state: ReadinessState,
    /// How long a settled screen must have been the same.
    pub stability: Duration,
}

/// Reads and asks until the state is reached. A deadline gives `unknown` with what was seen, never `unresponsive`.
pub async fn wait_for_readiness(
    reads: &mut Reads<'_>,
    plugins: &Plugins,
    wait: ReadinessWait,
) -> (bool, ReadinessReport) {
    let mut last: Option<ReadinessReport> = None;
    let mut pace = Pace::Interval;
    loop {
        if reads.next(pace).await.is_none() {
            let mut report = last.unwrap_or_else(|| unknown(0, 0, vec!["no_sample".to_owned()]));
            if reads.end == Some(End::Deadline) {
                report.limitations.push("deadline".to_owned());
                report.state = ReadinessState::Unknown;
            }
            return (false, report);
        }
        reads.probe().await;
        let mut report = assess(plugins, &reads.timeline, wait.stability).await;
        report.limitations.append(&mut reads.unprobed.clone());
        if report.state == wait.state {
            return (true, report);
        }
        pace = Pace::Gap(wait.stability);
        last = Some(report);
    }
}

/// The predicate *and* settled, on shared samples and one deadline.
pub async fn wait_for_settled_element(
    reads: &mut Reads<'_>,
    screens: &Screens,
    plugins: &Plugins,
    wait: &ElementWait,
    stability: Duration,
) -> (ElementEnd, Option<ReadinessReport>) {
    let mut end = ElementEnd::default();
    let mut report = None;
    let mut pace = Pace::Interval;
    loop {
        let Some(observation) = reads.next(pace).await else { return (end, report) };
        let verdict = wait.judge(screens, &observation);
        pace = if verdict.holds { Pace::Gap(stability) } else { Pace::Interval };
        end.take(observation, verdict);
        if end.confirmed >= wait.needed {
            let now = assess(plugins, &reads.timeline, stability).await;
            end.satisfied = now.state == ReadinessState::Settled;
            report = Some(now);
            if end.satisfied {
                return (end, report);
            }
        }
    }
}
