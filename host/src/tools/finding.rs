//! Finding an element by words, and telling what an action came to.

use std::sync::Arc;
use std::time::Duration;

use handset_model::snapshot::Observation;
use handset_model::ui::{Candidate, ElementView, Rect, confidence, element_json, find_by_words};
use handset_model::{Code, Failure};
use serde_json::{Map, Value, json};

use super::args::{ClassifyActionOutcomeArgs, FindElementArgs, RequestStatus};
use super::{Answer, Call};
use crate::device::Screens;
use crate::request::Purpose;
use crate::wait::{Pace, Reads};

/// Other elements shown beside the best one.
const ALTERNATES: usize = 5;

/// Between two looks for something that is not there.
const AGAIN: Duration = Duration::from_millis(300);

pub(super) async fn find_element(call: Call) -> Result<Answer, Failure> {
    let args: FindElementArgs = call.parse()?;
    if args.query.trim().is_empty() {
        return Err(Failure::argument("query", "the query is blank"));
    }
    let session = call.session(&args.target).await?;
    let budget = call.budget(Duration::from_millis(args.timeout_ms.unwrap_or(3_000)));
    let mut reads = Reads::new(&session, &call.request, Purpose::Answer, budget, AGAIN);
    let exact = args.exact.unwrap_or(false);
    let mut found: Option<(Arc<Observation>, Vec<Candidate>)> = None;
    while let Some(seen) = reads.next(Pace::Interval).await {
        let candidates = find_by_words(&seen.tree, &args.query, exact);
        let visible = candidates.first().is_some_and(|best| is_visible(&seen, best));
        if !candidates.is_empty() {
            found = Some((seen, candidates));
        }
        // What cannot be seen yet may come into view while there is time.
        if visible {
            break;
        }
    }
    super::waits::tell(&call, &reads);
    if let Some(failure) = reads.saw_nothing() {
        return Err(failure);
    }
    let mut body = match &found {
        Some((seen, candidates)) => best(&session.screens, seen, candidates),
        None => {
            let words = if exact { "is called exactly" } else { "answers to" };
            let message = format!("nothing on the screen {words} {:?}: {}", args.query, reads.spent());
            json!({
                "found": false, "element": null, "score": 0.0, "confidence": 0.0,
                "resolution": resolution(0.0, "no element matches", &[], Vec::new()),
                "error": Failure::new(Code::ElementNotFound, message).to_json(),
            })
        }
    };
    body["timing"] = call.request.timings.full();
    let failure_code = found.is_none().then_some(Code::ElementNotFound);
    Ok(Answer::Body { body, success: Some(found.is_some()), failure_code, text: None })
}

fn is_visible(seen: &Observation, candidate: &Candidate) -> bool {
    seen.tree.get(candidate.index).is_some_and(|element| element.traits.visible)
}

fn best(screens: &Screens, seen: &Arc<Observation>, candidates: &[Candidate]) -> Value {
    let sure = confidence(candidates);
    let Some((best, others)) = candidates.split_first() else { return json!({ "found": false }) };
    let tied = others.iter().take_while(|other| other.score == best.score).count();
    let mut reason = format!("its {} {}", best.met.as_str(), best.extent.as_str());
    if tied > 0 {
        reason.push_str(&format!("; {tied} others do so as well"));
    }
    if !is_visible(seen, best) {
        reason.push_str("; nothing of it is on the display");
    }
    let alternates: Vec<Value> = others.iter().take(ALTERNATES).map(|other| alternate(screens, seen, other)).collect();
    json!({
        "found": true,
        "element": element(screens, seen, best),
        "score": best.score,
        "confidence": sure,
        "resolution": resolution(sure, &reason, candidates, alternates),
    })
}

fn resolution(sure: f64, reason: &str, candidates: &[Candidate], alternates: Vec<Value>) -> Value {
    json!({
        "confidence": sure,
        "reason": reason,
        "fallback_available": !alternates.is_empty(),
        "matched_count": candidates.len(),
        "alternates": alternates,
    })
}

fn edges(bounds: Rect) -> Value {
    json!({ "left": bounds.left, "top": bounds.top, "right": bounds.right, "bottom": bounds.bottom })
}

fn alternate(screens: &Screens, seen: &Observation, candidate: &Candidate) -> Value {
    let mut shown = named(screens, seen, candidate.index);
    shown.insert("score".into(), json!(candidate.score));
    Value::Object(shown)
}

/// What names an element, and where it is.
fn named(screens: &Screens, seen: &Observation, index: u32) -> Map<String, Value> {
    let mut shown = Map::new();
    let Some(element) = seen.tree.get(index) else { return shown };
    let texts = [
        ("elementId", screens.element_id(seen, index)),
        ("text", element.text.clone()),
        ("resourceId", element.resource_id.clone()),
        ("contentDesc", element.description.clone()),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            shown.insert(name.into(), json!(text));
        }
    }
    shown.insert("class".into(), json!(element.class));
    shown.insert("bounds".into(), edges(element.bounds));
    shown
}

/// `element` as shapes of upstream have it.
fn element(screens: &Screens, seen: &Arc<Observation>, candidate: &Candidate) -> Value {
    let mut shown = named(screens, seen, candidate.index);
    let Some(element) = seen.tree.get(candidate.index) else { return Value::Null };
    shown.insert("clickable".into(), json!(element.traits.clickable));
    shown.insert("enabled".into(), json!(element.traits.enabled));
    if let Value::Object(rest) = element_json(&seen.tree, candidate.index, ElementView::Resolved, None) {
        let taken = ["stable_id", "role", "test_tag", "selector", "semantic", "state"];
        shown.extend(rest.into_iter().filter(|(name, _)| taken.contains(&name.as_str())));
    }
    let middle = || (!element.visible_bounds.is_empty()).then(|| element.visible_bounds.center());
    if let Some((x, y)) = candidate.target.and_then(|target| target.point(&seen.tree)).or_else(middle) {
        shown.insert("tapCoordinates".into(), json!({ "x": x, "y": y }));
    }
    let slider = element.role == Some("slider");
    shown.insert(
        "telemetry".into(),
        json!({
            "matchedIndex": candidate.index,
            "matchedInteractable": candidate.target.is_some_and(|target| target.target == candidate.index),
            "sliderLike": slider,
        }),
    );
    if slider {
        let bounds = element.bounds;
        let upright = bounds.bottom - bounds.top > bounds.right - bounds.left;
        let axis = if upright { "vertical" } else { "horizontal" };
        shown.insert(
            "interactionHint".into(),
            json!({ "kind": "slider", "axis": axis, "trackBounds": edges(element.visible_bounds) }),
        );
    }
    Value::Object(shown)
}

/// Actions that change nothing but the screen they act on.
const LOCAL: [&str; 15] = [
    "tap",
    "tap_element",
    "swipe",
    "scroll_to_element",
    "type_text",
    "press_back",
    "adjust_control",
    "long_press",
    "double_tap",
    "drag",
    "pinch",
    "press_key",
    "hide_keyboard",
    "accept_dialog",
    "dismiss_dialog",
];

/// Judges what it is told, and nothing else: no device is asked.
pub(super) async fn classify_action_outcome(call: Call) -> Result<Answer, Failure> {
    let args: ClassifyActionOutcomeArgs = call.parse()?;
    let (outcome, reasoning) = classify(&args);
    Ok(Answer::body(json!({ "outcome": outcome, "reasoning": reasoning, "timing": call.request.timings.compact() })))
}

/// The first rule that fits, in this order: the screen's own sign, an action that is not known, a request that failed,
/// an action of the screen alone, and then what the requests say.
fn classify(args: &ClassifyActionOutcomeArgs) -> (&'static str, String) {
    if args.expected_element_visible == Some(true) {
        return ("success", "the expected element is visible".to_owned());
    }
    if args.ui_changed {
        return ("success", "the screen changed after the action".to_owned());
    }
    let action = args.action_type.as_deref().map(|action| action.trim().to_lowercase());
    let Some(action) = action.filter(|action| !action.is_empty()) else {
        let why = "actionType was not given: whether the action works on the screen alone is not known";
        return ("unknown", why.to_owned());
    };
    let requests = args.network_requests.as_deref();
    let failed = requests.into_iter().flatten().find(|request| request.status != RequestStatus::Success);
    if let Some(failed) = failed {
        let endpoint = failed.endpoint.as_deref().unwrap_or("one of the requests");
        let how = if failed.status == RequestStatus::Retryable { "failed and may be retried" } else { "failed" };
        return ("backend_failure", format!("{endpoint} {how}"));
    }
    let errors = if args.has_log_errors == Some(true) { "; the log holds errors" } else { "" };
    if LOCAL.contains(&action.as_str()) {
        let why =
            format!("{action} works on the screen, which did not change{errors}: prove its state with expect_state");
        return ("no_op", why);
    }
    match requests {
        None => {
            ("unknown", format!("{action} may show elsewhere than on the screen, and no requests were given{errors}"))
        }
        Some([]) => ("no_op", format!("{action} caused no request, and the screen did not change{errors}")),
        Some(_) => ("ui_failure", format!("every request succeeded, and the screen did not change{errors}")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use serde_json::{Value, json};

    use super::{ClassifyActionOutcomeArgs, classify};

    fn outcome(arguments: Value) -> &'static str {
        let args: ClassifyActionOutcomeArgs = serde_json::from_value(arguments).unwrap();
        classify(&args).0
    }

    #[test]
    fn the_first_rule_that_fits_decides() {
        let ok = json!([{ "endpoint": "/a", "status": "success" }]);
        let bad = json!([{ "endpoint": "/a", "status": "success" }, { "endpoint": "/b", "status": "retryable" }]);
        for (arguments, expected) in [
            (json!({ "uiChanged": true, "networkRequests": bad }), "success"),
            (json!({ "uiChanged": false, "expectedElementVisible": true }), "success"),
            (json!({ "uiChanged": false, "expectedElementVisible": false }), "unknown"),
            (json!({ "uiChanged": false, "actionType": "  ", "networkRequests": bad }), "unknown"),
            (json!({ "uiChanged": false, "actionType": "tap", "networkRequests": bad }), "backend_failure"),
            (json!({ "uiChanged": false, "actionType": "TAP ", "networkRequests": ok }), "no_op"),
            (json!({ "uiChanged": false, "actionType": "start_app" }), "unknown"),
            (json!({ "uiChanged": false, "actionType": "start_app", "networkRequests": [] }), "no_op"),
            (json!({ "uiChanged": false, "actionType": "start_app", "networkRequests": ok }), "ui_failure"),
            (json!({ "uiChanged": false, "actionType": "something_else", "networkRequests": ok }), "ui_failure"),
        ] {
            assert_eq!(outcome(arguments.clone()), expected, "{arguments}");
        }
    }

    #[test]
    fn a_failed_request_is_named_and_log_errors_are_told() {
        let args = json!({ "uiChanged": false, "actionType": "tap", "networkRequests": [{ "endpoint": "/pay", "status": "failure" }] });
        assert!(classify(&serde_json::from_value(args).unwrap()).1.contains("/pay"));
        let args = json!({ "uiChanged": false, "actionType": "tap", "hasLogErrors": true });
        assert!(classify(&serde_json::from_value(args).unwrap()).1.contains("log holds errors"));
    }
}
