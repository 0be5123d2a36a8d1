//! Whole screens: whether another one came, whether something of this one changed, whether it is the one expected.

use std::sync::Arc;
use std::time::Duration;

use handset_model::snapshot::Observation;
use handset_model::{Code, Failure};
use serde_json::{Value, json};

use super::args::{ChangeScope, ExpectScreenArgs, WaitForScreenChangeArgs, WaitForUiChangeArgs};
use super::observe::loading_state;
use super::waits::{STABILITY_MS, decided, tell};
use super::{Answer, Call};
use crate::request::{Purpose, round};
use crate::wait::{ChangeWait, FINGERPRINT_GAP, Pace, Reads, stable_fingerprint, wait_for_change};

/// A tool that states no timeout has this in all (contract §4).
const ALL: Duration = Duration::from_secs(25);

/// Between the reads of an expectation that moves; the two that decide have their own gap.
const AGAIN: Duration = Duration::from_millis(100);

fn screen(observation: Option<&Arc<Observation>>) -> Value {
    json!({
        "fingerprint": observation.map(|seen| &seen.fingerprint),
        "activity": observation.and_then(|seen| seen.screen.activity.as_ref()),
    })
}

pub(super) async fn wait_for_screen_change(call: Call) -> Result<Answer, Failure> {
    let args: WaitForScreenChangeArgs = call.parse()?;
    let session = call.session(&args.target).await?;
    let budget = call.budget(Duration::from_millis(args.timeout_ms.unwrap_or(5_000)));
    let interval = Duration::from_millis(args.poll_interval_ms.unwrap_or(300));
    let mut reads = Reads::new(&session, &call.request, Purpose::Assertion, budget, interval);
    let changed = stable_fingerprint(&mut reads, |seen| seen.fingerprint != args.previous_fingerprint).await;
    tell(&call, &reads);
    if let Some(failure) = reads.saw_nothing() {
        return Err(failure);
    }
    let last = changed.as_ref().or(reads.timeline.observations.last());
    let mut body = json!({
        "success": changed.is_some(),
        "previousFingerprint": args.previous_fingerprint,
        "elapsedMs": round(reads.elapsed_ms()),
        "observed_screen": screen(last),
    });
    let fingerprint = json!(last.map(|seen| &seen.fingerprint));
    if changed.is_some() {
        body["newFingerprint"] = fingerprint;
        body["timing"] = call.request.timings.full();
        return Ok(Answer::Body { body, success: Some(true), failure_code: None, text: None });
    }
    body["lastFingerprint"] = fingerprint;
    let same = last.is_some_and(|seen| seen.fingerprint == args.previous_fingerprint);
    let (code, reason) = if same {
        (Code::NavigationNoChange, format!("the screen was still the same: {}", reads.spent()))
    } else {
        // It did change: what is missing is the read that confirms it.
        (Code::Timeout, reads.shortfall(1, 2, "timeoutMs"))
    };
    Ok(failed(&call, body, code, &reason))
}

/// What a wait that ran out ends with.
fn failed(call: &Call, mut body: Value, code: Code, reason: &str) -> Answer {
    body["reason"] = json!(reason);
    body["failure_code"] = json!(code);
    body["retryable"] = json!(code.retryable());
    body["error"] = Failure::new(code, reason).to_json();
    body["timing"] = call.request.timings.full();
    Answer::Body { body, success: Some(false), failure_code: Some(code), text: None }
}

pub(super) async fn wait_for_ui_change(call: Call) -> Result<Answer, Failure> {
    let args: WaitForUiChangeArgs = call.parse()?;
    let scope = args.scope.unwrap_or_default();
    match (&args.target, scope) {
        (Some(target), ChangeScope::Subtree) => target.validate("target")?,
        (None, ChangeScope::Subtree) => {
            return Err(Failure::argument("target", "scope subtree needs the target whose inside is watched"));
        }
        (Some(_), ChangeScope::Screen) => {
            return Err(Failure::argument("target", "target goes with scope subtree"));
        }
        (None, ChangeScope::Screen) => {}
    }
    let session = call.session(&args.target_device).await?;
    let timeout = Duration::from_millis(args.timeout_ms.unwrap_or(60_000));
    let settled = args.readiness == Some(true);
    if settled {
        call.house.plugins.ready(&call.budget(timeout)).await?;
    }
    let asked = args.stability_window_ms.unwrap_or(250);
    let window = Duration::from_millis(if settled { asked.max(STABILITY_MS) } else { asked });
    let wait = ChangeWait { expected: args.expected_change, within: args.target.clone(), window };
    call.request.progress(0.0, None, "waiting for a change".to_owned());
    let mut reads =
        Reads::new(&session, &call.request, Purpose::Assertion, call.budget(timeout), Duration::from_millis(100));
    let plugins = settled.then_some(&*call.house.plugins);
    let end = wait_for_change(&mut reads, plugins, &wait).await;
    tell(&call, &reads);
    if let Some(failure) = reads.saw_nothing() {
        return Err(failure);
    }
    let stability = match (end.satisfied, end.summary.is_empty()) {
        (true, _) => "stable",
        (false, true) => "unchanged",
        (false, false) => "unstable",
    };
    let mut body = json!({
        "success": end.satisfied,
        "observed_change": end.summary.kind(),
        "timeout": !end.satisfied,
        "elapsed_ms": round(reads.elapsed_ms()),
        "scope": if scope == ChangeScope::Subtree { "subtree" } else { "screen" },
        "stability_state": stability,
        "change_summary": end.summary.to_json(),
    });
    if let Some(expected) = args.expected_change {
        body["expected_change"] = json!(expected);
        if end.changed {
            body["observed_change"] = json!(expected);
        }
    }
    if let Some(target) = &args.target {
        body["target"] = json!(target);
    }
    if let Some(last) = &end.last {
        body["snapshot_revision"] = json!(last.revision);
        body["snapshot_freshness_ms"] = json!(round(session.screens.clock().now_ms() - last.captured_ms));
    }
    if let Some(readiness) = &end.readiness {
        body["loading_state"] = loading_state(&readiness.evidence);
        body["readiness"] = readiness.to_json(&reads.timeline);
    }
    if end.satisfied {
        body["timing"] = call.request.timings.full();
        return Ok(Answer::Body { body, success: Some(true), failure_code: None, text: None });
    }
    let reason = if end.changed {
        let what = if end.readiness.is_some() { "settled" } else { "the same" };
        format!("it changed and was not {what} for {} ms: {}; raise timeout_ms", window.as_millis(), reads.spent())
    } else if !end.target_seen {
        format!("the target matched nothing: {}", reads.spent())
    } else if end.summary.is_empty() {
        format!("nothing changed: {}", reads.spent())
    } else {
        format!("what changed was not what was expected: {}", reads.spent())
    };
    Ok(failed(&call, body, Code::Timeout, &reason))
}

/// Two reads that agree decide, one way or the other: expectations do not wait for a screen that is still to come.
pub(super) async fn expect_screen(call: Call) -> Result<Answer, Failure> {
    let args: ExpectScreenArgs = call.parse()?;
    match (&args.fingerprint, &args.screen) {
        (Some(_), Some(_)) => return Err(Failure::argument("screen", "pass either fingerprint or screen, not both")),
        (None, None) => return Err(Failure::argument("fingerprint", "pass a fingerprint or a screen")),
        _ => {}
    }
    let session = call.session(&args.target).await?;
    let mut reads = Reads::new(&session, &call.request, Purpose::Assertion, call.budget(ALL), AGAIN);
    let mut decided_by: Option<Arc<Observation>> = None;
    let mut before: Option<Arc<Observation>> = None;
    while decided_by.is_none() {
        let pace = if before.is_some() { Pace::Gap(FINGERPRINT_GAP) } else { Pace::Interval };
        let Some(now) = reads.next(pace).await else { break };
        let agree = before.as_ref().is_some_and(|before| before.fingerprint == now.fingerprint);
        decided_by = agree.then(|| Arc::clone(&now));
        before = Some(now);
    }
    tell(&call, &reads);
    if let Some(failure) = reads.saw_nothing() {
        return Err(failure);
    }
    let seen = decided_by.as_ref().or(before.as_ref());
    let fingerprint = seen.map(|seen| seen.fingerprint.as_str());
    let activity = seen.and_then(|seen| seen.screen.activity.as_deref());
    let package = seen.and_then(|seen| seen.screen.package.as_deref().or(seen.tree.package.as_deref()));
    let (basis, holds) = match (&args.fingerprint, &args.screen, activity) {
        _ if decided_by.is_none() => ("none", false),
        (Some(wanted), ..) => ("fingerprint", fingerprint == Some(wanted.trim())),
        (None, Some(wanted), Some(activity)) => ("screen", is_screen(wanted, package, activity)),
        _ => ("none", false),
    };
    let (code, reason) = match (holds, basis) {
        (true, _) => (Code::AssertionTimeout, format!("the {basis} is the one expected, in two reads that agree")),
        (false, "none") if decided_by.is_none() => {
            (Code::AssertionTimeout, format!("no two reads agreed: {}; the screen does not rest", reads.spent()))
        }
        (false, "none") => (Code::Unsupported, "the device did not tell which activity is in front".to_owned()),
        (false, _) => (Code::ExpectStateMismatch, format!("another {basis} than expected, in two reads that agree")),
    };
    // An activity is in front whatever it shows; a fingerprint is the screen itself.
    let confidence = match (basis, holds) {
        ("none", _) => 0.0,
        ("screen", true) => 0.7,
        _ => 1.0,
    };
    let body = json!({
        "success": holds,
        "observed_screen": { "fingerprint": fingerprint, "screen": activity },
        "expected_screen": { "fingerprint": args.fingerprint, "screen": args.screen },
        "confidence": confidence,
        "comparison": { "basis": basis, "matched": holds, "reason": reason },
        "reason": reason,
    });
    Ok(decided(&call, body, holds, code, Vec::new()))
}

/// An activity by its full name, `.Name`, its last part, or with its package before a slash.
fn is_screen(wanted: &str, package: Option<&str>, activity: &str) -> bool {
    let wanted = wanted.trim();
    let (wanted_package, wanted) = match wanted.split_once('/') {
        Some((package, name)) => (Some(package), name),
        None => (None, wanted),
    };
    if wanted_package.is_some_and(|wanted| package != Some(wanted)) {
        return false;
    }
    let full = match activity.strip_prefix('.') {
        Some(rest) => format!("{}.{rest}", package.unwrap_or_default()),
        None => activity.to_owned(),
    };
    let short = full.rsplit('.').next().unwrap_or(&full);
    let own = package.and_then(|package| full.strip_prefix(package));
    wanted == activity || wanted == full || wanted == short || own == Some(wanted)
}

#[cfg(test)]
mod tests {
    use super::is_screen;

    #[test]
    fn an_activity_is_named_in_full_or_in_short_and_no_other_is() {
        let (package, activity) = (Some("com.shop"), "com.shop.ui.CartActivity");
        for name in [
            "com.shop.ui.CartActivity",
            "CartActivity",
            ".ui.CartActivity",
            "com.shop/.ui.CartActivity",
            " CartActivity ",
        ] {
            assert!(is_screen(name, package, activity), "{name}");
        }
        for name in ["Cart", "ui.CartActivity2", "com.other/.ui.CartActivity", "Activity", ""] {
            assert!(!is_screen(name, package, activity), "{name}");
        }
        assert!(is_screen("com.shop.Main", Some("com.shop"), ".Main"));
    }
}
