//! Waits synchronise, expectations decide: what was seen, how often, and what the deadline cut.

use std::sync::Arc;
use std::time::Duration;

use handset_model::snapshot::Observation;
use handset_model::ui::Selector;
use handset_model::{Code, Failure};
use serde_json::{Value, json};

use super::args::{ExpectElementVisibleArgs, ExpectStateArgs, GetReadinessArgs, WaitForReadinessArgs, WaitForUiArgs};
use super::resolved::resolved;
use super::{Answer, Call};
use crate::action::device_json;
use crate::device::Session;
use crate::request::{Purpose, round};
use crate::wait::{
    Condition, ElementEnd, ElementWait, End, Pace, ReadinessReport, ReadinessWait, Reads, StateWait, Wanted, assess,
    wait_for_element, wait_for_readiness as wait_until_ready, wait_for_settled_element, wait_for_state,
};

/// Satisfying reads in a row that decide an element (contract §8).
const NEEDED: u32 = 2;

/// Default stability window of readiness, ms.
pub(super) const STABILITY_MS: u64 = 300;

/// Where get_readiness may spend its time, ms.
const READINESS: Duration = Duration::from_secs(25);

pub(super) async fn wait_for_ui(call: Call) -> Result<Answer, Failure> {
    let args: WaitForUiArgs = call.parse()?;
    args.selector.validate("selector")?;
    let session = call.session(&args.target).await?;
    let condition = args.condition.unwrap_or_default();
    let index = args.matching.and_then(|matching| matching.index);
    let timeout = Duration::from_millis(args.timeout_ms.unwrap_or(60_000));
    let interval = Duration::from_millis(args.poll_interval_ms.unwrap_or(300));
    let retry = args.retry.unwrap_or_default();
    let wait = ElementWait { wanted: Wanted::Selector(args.selector.clone()), condition, index, needed: NEEDED };
    if args.readiness == Some(true) {
        call.house.plugins.ready(&call.budget(timeout)).await?;
    }

    let mut attempts = 0;
    let mut polls = 0;
    let (reads, end, readiness) = loop {
        attempts += 1;
        let mut reads = Reads::new(&session, &call.request, Purpose::Assertion, call.budget(timeout), interval);
        call.request.progress(f64::from(attempts - 1), None, format!("waiting for {}", described(&args.selector)));
        let (end, readiness) = if args.readiness == Some(true) {
            wait_for_settled_element(
                &mut reads,
                &session.screens,
                &call.house.plugins,
                &wait,
                Duration::from_millis(STABILITY_MS),
            )
            .await
        } else {
            (wait_for_element(&mut reads, &session.screens, &wait).await, None)
        };
        polls += reads.successes;
        tell(&call, &reads);
        if end.satisfied || attempts >= retry.max_attempts.unwrap_or(1) || reads.end != Some(End::Deadline) {
            break (reads, end, readiness);
        }
        let backoff = Duration::from_millis(retry.backoff_ms.unwrap_or(0));
        if call.budget(backoff + Duration::from_secs(1)).pause(backoff).await.is_err() {
            break (reads, end, readiness);
        }
    };
    if let Some(failure) = reads.saw_nothing() {
        return Err(failure);
    }
    let last = end.last.as_ref();
    let verdict = last.map(|(_, verdict)| verdict.clone()).unwrap_or_default();
    let shown = last.and_then(|(observation, verdict)| verdict.element.map(|index| (observation, index)));
    let mut body = json!({
        "status": if end.satisfied { "success" } else { "timeout" },
        "success": end.satisfied,
        "matched": end.satisfied,
        "metrics": { "latency_ms": round(reads.elapsed_ms()), "poll_count": polls, "attempts": attempts },
        "requested": { "selector": args.selector, "condition": condition, "match": index.map(|index| json!({ "index": index })) },
        "observed": observed(&session, &end),
    });
    if let Some((observation, index)) = shown.filter(|_| end.satisfied) {
        body["element"] = resolved(&session.screens, observation, index);
    }
    if let Some(readiness) = &readiness {
        body["readiness"] = readiness.to_json(&reads.timeline);
    }
    let failure_code = (!end.satisfied).then_some(Code::Timeout);
    if !end.satisfied {
        let why =
            why(&reads, end.confirmed, NEEDED, &format!("matched {} elements", verdict.matched), more_time(&call));
        body["error"] = Failure::new(Code::Timeout, why).to_json();
    }
    body["timing"] = call.request.timings.full();
    Ok(Answer::Body { body, success: Some(end.satisfied), failure_code, text: None })
}

/// The member that gives a wait more time, by the name whoever waits knows it: steps of a journey have `timeoutMs`.
fn more_time(call: &Call) -> &'static str {
    if call.pinned.is_some() { "timeoutMs" } else { "timeout_ms" }
}

/// What the deadline cut, or what was seen instead.
fn why(reads: &Reads<'_>, confirmed: u32, needed: u32, seen: &str, raise: &str) -> String {
    if confirmed > 0 {
        reads.shortfall(confirmed, needed, raise)
    } else {
        format!("not seen in time: the last of {} reads {seen}", reads.successes)
    }
}

fn observed(session: &Session, end: &ElementEnd) -> Value {
    let verdict = end.last.as_ref().map(|(_, verdict)| verdict.clone()).unwrap_or_default();
    let last_matched =
        end.last_match.as_ref().map(|(observation, index)| resolved(&session.screens, observation, *index));
    json!({
        "matched_count": verdict.matched,
        "condition_satisfied": end.satisfied,
        "selected_index": verdict.selected,
        "last_matched_element": last_matched,
    })
}

fn described(selector: &Selector) -> &str {
    let named = [&selector.text, &selector.resource_id, &selector.accessibility_id, &selector.role];
    named.into_iter().flatten().next().map_or("an element", String::as_str)
}

/// Tells whoever listens which screen this wait saw first.
pub(super) fn tell(call: &Call, reads: &Reads<'_>) {
    if let (Some(seen), Some(first)) = (&call.seen, reads.timeline.observations.first()) {
        seen(first);
    }
}

/// A handle that is none, or of a tree that is forgotten, is said so at once: no wait can mend it.
fn known(wanted: &Wanted, session: &Session) -> Result<(), Failure> {
    let Wanted::ElementId(id) = wanted else { return Ok(()) };
    let known = session.screens.handle(id, &session.pinned.key, session.pinned.connection);
    known.map(|_| ()).map_err(|failure| Failure { member: failure.member.map(|_| "element_id".to_owned()), ..failure })
}

/// What an expectation that found nothing failed with: a handle whose node is gone is stale.
fn absent(wanted: &Wanted, otherwise: Code) -> Code {
    match wanted {
        Wanted::ElementId(_) => Code::StaleReference,
        Wanted::Selector(_) => otherwise,
    }
}

pub(super) fn wanted(selector: Option<&Selector>, element_id: Option<&String>) -> Result<Wanted, Failure> {
    match (selector, element_id) {
        (Some(selector), None) => {
            selector.validate("selector")?;
            Ok(Wanted::Selector(selector.clone()))
        }
        (None, Some(id)) => Ok(Wanted::ElementId(id.clone())),
        (Some(_), Some(_)) => Err(Failure::argument("element_id", "pass either selector or element_id, not both")),
        (None, None) => Err(Failure::argument("selector", "pass a selector or an element_id")),
    }
}

pub(super) async fn expect_element_visible(call: Call) -> Result<Answer, Failure> {
    let args: ExpectElementVisibleArgs = call.parse()?;
    let wanted = wanted(args.selector.as_ref(), args.element_id.as_ref())?;
    let session = call.session(&args.target).await?;
    known(&wanted, &session)?;
    let budget = call.budget(Duration::from_millis(args.timeout_ms.unwrap_or(5_000)));
    let interval = Duration::from_millis(args.poll_interval_ms.unwrap_or(300));
    let wait = ElementWait { wanted, condition: Condition::Visible, index: None, needed: NEEDED };
    let mut reads = Reads::new(&session, &call.request, Purpose::Assertion, budget, interval);
    let end = wait_for_element(&mut reads, &session.screens, &wait).await;
    tell(&call, &reads);
    if let Some(failure) = reads.saw_nothing() {
        return Err(failure);
    }
    let verdict = end.last.as_ref().map(|(_, verdict)| verdict.clone()).unwrap_or_default();
    let reason = if end.satisfied {
        format!("visible in {NEEDED} reads in a row")
    } else {
        why(
            &reads,
            end.confirmed,
            NEEDED,
            &format!("matched {} elements, none visible", verdict.matched),
            more_time(&call),
        )
    };
    let mut seen = observed(&session, &end);
    seen["status"] = json!(if end.satisfied {
        "visible"
    } else if verdict.matched == 0 {
        "not_found"
    } else {
        "not_visible"
    });
    let mut body = json!({
        "success": end.satisfied,
        "selector": args.selector,
        "element_id": args.element_id,
        "expected_condition": "visible",
        "observed": seen,
        "reason": reason,
    });
    let shown = end.last.as_ref().and_then(|(observation, verdict)| verdict.element.map(|index| (observation, index)));
    if let Some((observation, index)) = shown {
        body["element"] = resolved(&session.screens, observation, index);
    }
    let code = if verdict.matched == 0 { absent(&wait.wanted, Code::AssertionTimeout) } else { Code::AssertionTimeout };
    Ok(decided(&call, body, end.satisfied, code, Vec::new()))
}

/// Adds what every expectation ends with.
pub(super) fn decided(call: &Call, mut body: Value, success: bool, code: Code, candidates: Vec<Value>) -> Answer {
    if !success {
        body["failure_code"] = json!(code);
        body["retryable"] = json!(code.retryable());
        let failure = Failure::new(code, body["reason"].as_str().unwrap_or_default()).with_candidates(candidates);
        body["error"] = failure.to_json();
    }
    body["trace"] =
        json!({ "action_id": call.request.id, "final_outcome": if success { "success" } else { "failure" } });
    body["timing"] = call.request.timings.full();
    Answer::Body { body, success: Some(success), failure_code: (!success).then_some(code), text: None }
}

pub(super) async fn expect_state(call: Call) -> Result<Answer, Failure> {
    let args: ExpectStateArgs = call.parse()?;
    let wanted = wanted(args.selector.as_ref(), args.element_id.as_ref())?;
    let session = call.session(&args.target).await?;
    known(&wanted, &session)?;
    let budget = call.budget(Duration::from_millis(args.timeout_ms.unwrap_or(5_000)));
    let interval = Duration::from_millis(args.poll_interval_ms.unwrap_or(100));
    let wait = StateWait { wanted, property: args.property, expected: args.expected.clone() };
    let mut reads = Reads::new(&session, &call.request, Purpose::Assertion, budget, interval);
    let end = wait_for_state(&mut reads, &session.screens, &wait).await;
    tell(&call, &reads);
    if let Some(failure) = reads.saw_nothing() {
        return Err(failure);
    }
    let property = json!(args.property);
    let value = end.value.clone();
    let element: Option<(Arc<Observation>, u32)> = end.last.clone().zip(end.element);
    let (code, reason) = if end.satisfied {
        (Code::AssertionTimeout, format!("{property} was {} in two reads in a row", args.expected))
    } else {
        match (end.matched, &element, &value) {
            _ if end.confirmed > 0 => {
                (Code::AssertionTimeout, reads.shortfall(end.confirmed, crate::wait::STATE_NEEDED, more_time(&call)))
            }
            (0, ..) => (absent(&wait.wanted, Code::ElementNotFound), "no element matched in the last read".to_owned()),
            (_, None, _) => {
                (Code::AmbiguousTarget, format!("{} elements match: which one is meant is not known", end.matched))
            }
            (_, Some(_), None) => (Code::Unsupported, format!("the platform exposes no {property} of this element")),
            (_, Some(_), Some(value)) => {
                (Code::ExpectStateMismatch, format!("{property} is {value}, expected {}", args.expected))
            }
        }
    };
    let mut observed = json!({ "property": args.property, "value": value });
    let mut body = json!({
        "success": end.satisfied,
        "element_id": args.element_id,
        "expected_state": { "property": args.property, "expected": args.expected },
        "reason": reason,
        "stabilization_attempts": reads.successes,
        "stabilization_window_ms": round(end.window_ms),
        "stable_observation_count": end.confirmed,
    });
    if let Some(selector) = &args.selector {
        body["selector"] = json!(selector);
    }
    if let Some((observation, index)) = &element {
        body["element"] = resolved(&session.screens, observation, *index);
        body["snapshot_freshness_ms"] = json!(round(session.screens.clock().now_ms() - observation.captured_ms));
        if let Some(raw) = observation.tree.get(*index).and_then(|element| element.value) {
            observed["raw_value"] = json!(raw);
        }
    }
    body["observed_state"] = observed;
    let candidates = match (&end.last, &wait.wanted) {
        (Some(observation), Wanted::Selector(selector)) if code == Code::AmbiguousTarget => selector
            .find(&observation.tree)
            .into_iter()
            .map(|index| resolved(&session.screens, observation, index))
            .collect(),
        _ => Vec::new(),
    };
    Ok(decided(&call, body, end.satisfied, code, candidates))
}

pub(super) async fn get_readiness(call: Call) -> Result<Answer, Failure> {
    let args: GetReadinessArgs = call.parse()?;
    let session = call.session(&args.target).await?;
    let budget = call.budget(READINESS);
    call.house.plugins.ready(&budget).await?;
    let stability = Duration::from_millis(args.stability_ms.unwrap_or(STABILITY_MS));
    let mut reads = Reads::new(&session, &call.request, Purpose::Readiness, budget, stability);
    // Two samples, not as many as the time allows: the adapter has read again where that was worth it.
    let first = reads.once(Pace::Interval).await;
    if first.is_some() && args.samples != Some(1) {
        let _ = reads.once(Pace::Gap(stability)).await;
    }
    if let Some(failure) = reads.saw_nothing() {
        return Err(failure);
    }
    reads.probing = args.probes == Some(true);
    reads.probe().await;
    let mut report = assess(&call.house.plugins, &reads.timeline, stability).await;
    report.limitations.append(&mut reads.unprobed);
    Ok(Answer::body(readiness_body(&call, &session, &reads, &report).await))
}

async fn readiness_body(call: &Call, session: &Session, reads: &Reads<'_>, report: &ReadinessReport) -> Value {
    call.request.timings.add("plugin_ms", report.plugin_ms);
    let facts = session.facts(&call.request, &call.budget(Duration::from_secs(2))).await.ok().flatten();
    let mut body = json!({
        "readiness": report.to_json(&reads.timeline),
        "device": device_json(&session.pinned, facts.as_ref()),
    });
    if let Some(latest) = reads.timeline.observations.last() {
        body["snapshot_session_id"] = json!(&*latest.session_id);
        body["snapshot_revision"] = json!(latest.revision);
    }
    body["timing"] = call.request.timings.full();
    body
}

pub(super) async fn wait_for_readiness(call: Call) -> Result<Answer, Failure> {
    let args: WaitForReadinessArgs = call.parse()?;
    let session = call.session(&args.target).await?;
    let timeout = Duration::from_millis(args.timeout_ms.unwrap_or(10_000));
    call.house.plugins.ready(&call.budget(timeout)).await?;
    let wait = ReadinessWait {
        state: args.state.unwrap_or_default().into(),
        stability: Duration::from_millis(args.stability_ms.unwrap_or(STABILITY_MS)),
    };
    call.request.progress(0.0, None, format!("waiting until {}", wait.state.as_str()));
    let mut reads =
        Reads::new(&session, &call.request, Purpose::Readiness, call.budget(timeout), Duration::from_millis(100));
    reads.probing = args.probes == Some(true);
    let (reached, report) = wait_until_ready(&mut reads, &call.house.plugins, wait).await;
    if let Some(failure) = reads.saw_nothing() {
        return Err(failure);
    }
    let mut body = readiness_body(&call, &session, &reads, &report).await;
    body["success"] = json!(reached);
    if !reached {
        let reason = format!(
            "not {} in time: {}, the screen had been the same for {} ms; raise timeoutMs",
            wait.state.as_str(),
            reads.spent(),
            round(report.stable_for_ms),
        );
        body["failure_code"] = json!(Code::Timeout);
        body["retryable"] = json!(true);
        body["error"] = Failure::new(Code::Timeout, reason.clone()).to_json();
        body["reason"] = json!(reason);
    }
    Ok(Answer::Body { body, success: Some(reached), failure_code: (!reached).then_some(Code::Timeout), text: None })
}
