//! A journey is validated whole, with paths into its steps, before the device is looked for.

use serde_json::{Value, json};

use super::{Refusal, meant, refusal, refuses};

fn journey(steps: &[Value]) -> Value {
    json!({ "platform": "android", "steps": steps })
}

/// Two steps that are right, and this one.
fn third(step: Value) -> Value {
    let right = |id: &str| json!({ "id": id, "type": "tap", "selector": { "text": "Sign in" } });
    journey(&[right("one"), right("two"), step])
}

/// A journey whose third step is wrong at this path below it.
fn wrong(step: Value, path: &'static str) -> Refusal {
    refusal("run_journey", third(step), path)
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_are_one_to_fifty_with_ids_of_their_own() {
    let back = |id: usize| json!({ "id": id.to_string(), "type": "press_back" });
    let fifty_one: Vec<Value> = (0..51).map(back).collect();
    refuses(vec![
        refusal("run_journey", journey(&[]), "steps"),
        refusal("run_journey", journey(&fifty_one), "steps"),
        refusal("run_journey", json!({ "platform": "android", "steps": {} }), "steps"),
        refusal("run_journey", journey(&[back(1), back(2), back(1)]), "steps[2].id"),
        wrong(json!("tap"), "steps[2]"),
        wrong(json!(null), "steps[2]"),
        wrong(json!({ "type": "tap" }), "steps[2].id"),
        wrong(json!({ "id": "a" }), "steps[2].type"),
        wrong(json!({ "id": "", "type": "press_back" }), "steps[2].id"),
        wrong(json!({ "id": 5, "type": "press_back" }), "steps[2].id"),
        refusal("run_journey", json!({ "platform": "windows", "steps": [back(1)] }), "platform"),
        refusal("run_journey", json!({ "platform": "android", "deviceId": "", "steps": [back(1)] }), "deviceId"),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_step_type_comes_with_candidates() {
    let kind = |kind: &str| third(json!({ "id": "a", "type": kind }));
    refuses(vec![
        meant("run_journey", kind("tpa"), "steps[2].type", "tap"),
        meant("run_journey", kind("tap_element"), "steps[2].type", "tap"),
        meant("run_journey", kind("asert"), "steps[2].type", "assert"),
        meant("run_journey", kind("wait_for_ready"), "steps[2].type", "wait_for_readiness"),
        refusal("run_journey", kind("no-such-plugin/quite-another-thing"), "steps[2].type"),
        refusal("run_journey", kind("/"), "steps[2].type"),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_member_is_named_by_its_whole_path() {
    let tap = |members: Value| {
        let mut step = json!({ "id": "a", "type": "tap" });
        for (name, value) in members.as_object().unwrap() {
            step[name] = value.clone();
        }
        third(step)
    };
    let selector = json!({ "text": "a" });
    refuses(vec![
        meant("run_journey", tap(json!({ "selector": { "txet": "a" } })), "steps[2].selector.txet", "text"),
        meant("run_journey", tap(json!({ "selektor": {} })), "steps[2].selektor", "selector"),
        refusal("run_journey", tap(json!({ "selector": { "text": 5 } })), "steps[2].selector.text"),
        refusal("run_journey", tap(json!({ "selector": { "text": " " } })), "steps[2].selector"),
        refusal("run_journey", tap(json!({ "selector": null })), "steps[2].selector"),
        refusal("run_journey", tap(json!({})), "steps[2].selector"),
        refusal("run_journey", tap(json!({ "selector": selector, "elementId": "b" })), "steps[2].elementId"),
        refusal(
            "run_journey",
            tap(json!({ "selector": selector, "verificationMode": "half" })),
            "steps[2].verificationMode",
        ),
        refusal(
            "run_journey",
            tap(json!({ "selector": selector, "waitFor": { "timeoutMs": 99 } })),
            "steps[2].waitFor.timeoutMs",
        ),
        refusal(
            "run_journey",
            tap(json!({ "selector": selector, "waitFor": { "pollIntervalMs": 1_001 } })),
            "steps[2].waitFor.pollIntervalMs",
        ),
        refusal(
            "run_journey",
            tap(json!({ "selector": selector, "expectedState": { "snapshotSessionId": "a", "snapshotRevision": 0 } })),
            "steps[2].expectedState.snapshotRevision",
        ),
        meant(
            "run_journey",
            tap(json!({ "selector": selector, "expectedState": { "snapshotSessionId": "a", "snapshotRevison": 1 } })),
            "steps[2].expectedState.snapshotRevison",
            "snapshotRevision",
        ),
        wrong(json!({ "id": "a", "type": "wait", "selector": selector, "timeoutMs": 99 }), "steps[2].timeoutMs"),
        wrong(json!({ "id": "a", "type": "wait", "selector": selector, "timeoutMs": 300_001 }), "steps[2].timeoutMs"),
        wrong(
            json!({ "id": "a", "type": "wait", "selector": selector, "pollIntervalMs": 49 }),
            "steps[2].pollIntervalMs",
        ),
        wrong(json!({ "id": "a", "type": "wait", "selector": { "text": "" } }), "steps[2].selector"),
        wrong(json!({ "id": "a", "type": "type_text", "text": "" }), "steps[2].text"),
        wrong(json!({ "id": "a", "type": "start_app" }), "steps[2].appId"),
        wrong(json!({ "id": "a", "type": "swipe", "x1": -1, "y1": 1, "x2": 1, "y2": 1 }), "steps[2].x1"),
        wrong(json!({ "id": "a", "type": "swipe", "x1": 1, "y1": 1.5, "x2": 1, "y2": 1 }), "steps[2].y1"),
        wrong(json!({ "id": "a", "type": "wait_for_readiness", "timeoutMs": 60_001 }), "steps[2].timeoutMs"),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_assertion_takes_what_its_kind_needs_and_nothing_else() {
    let assertion = |assertion: Value| third(json!({ "id": "a", "type": "assert", "assertion": assertion }));
    let selector = json!({ "text": "a" });
    let state = |property: &str, expected: Value| json!({ "kind": "state_equals", "selector": selector, "property": property, "expected": expected });
    let at = |member: &'static str, given: Value| refusal("run_journey", assertion(given), member);
    refuses(vec![
        at("steps[2].assertion.selector", json!({ "kind": "element_visible" })),
        at("steps[2].assertion.selector", json!({ "kind": "element_absent", "selector": {} })),
        at("steps[2].assertion.fingerprint", json!({ "kind": "element_visible", "selector": selector, "fingerprint": "a" })),
        at("steps[2].assertion.expected", json!({ "kind": "element_absent", "selector": selector, "expected": true })),
        at("steps[2].assertion.selector", json!({ "kind": "screen_fingerprint", "fingerprint": "a", "selector": selector })),
        at("steps[2].assertion.fingerprint", json!({ "kind": "screen_fingerprint" })),
        at("steps[2].assertion.fingerprint", json!({ "kind": "screen_fingerprint", "fingerprint": " " })),
        at("steps[2].assertion.selector", json!({ "kind": "state_equals", "property": "checked", "expected": true })),
        at("steps[2].assertion.elementId", json!({ "kind": "state_equals", "selector": selector, "elementId": "b", "property": "checked", "expected": true })),
        at("steps[2].assertion.property", json!({ "kind": "state_equals", "selector": selector, "expected": true })),
        at("steps[2].assertion.property", state("colour", json!(true))),
        at("steps[2].assertion.expected", json!({ "kind": "state_equals", "selector": selector, "property": "checked" })),
        at("steps[2].assertion.expected", state("checked", json!("true"))),
        at("steps[2].assertion.expected", state("text_value", json!(5))),
        at("steps[2].assertion.expected", state("value", json!(true))),
        at("steps[2].assertion.kind", json!({ "kind": "element_gone", "selector": selector })),
        refusal("run_journey", third(json!({ "id": "a", "type": "assert" })), "steps[2].assertion"),
    ])
    .await;
}

/// Found by these tests: the journey ran up to the step before it noticed.
#[tokio::test(flavor = "multi_thread")]
async fn a_steps_precondition_is_validated_before_the_first_step_runs() {
    let tap = |precondition: Value| {
        third(json!({ "id": "a", "type": "tap", "selector": { "text": "a" }, "precondition": precondition }))
    };
    refuses(vec![
        refusal("run_journey", tap(json!({})), "steps[2].precondition"),
        refusal("run_journey", tap(json!("snapshot")), "steps[2].precondition"),
        refusal("run_journey", tap(json!({ "all": [{}] })), "steps[2].precondition.all[0]"),
        meant(
            "run_journey",
            tap(json!({ "predicate": "element-visibel" })),
            "steps[2].precondition.predicate",
            "element-visible",
        ),
        meant(
            "run_journey",
            tap(json!({ "any": [{ "predicate": "snapshto" }] })),
            "steps[2].precondition.any[0].predicate",
            "snapshot",
        ),
        meant(
            "run_journey",
            tap(json!({ "predicate": "element-visible", "args": { "selecter": {} } })),
            "steps[2].precondition.args.selecter",
            "selector",
        ),
        refusal(
            "run_journey",
            tap(json!({ "predicate": "element-visible", "args": { "selector": { "text": " " } } })),
            "steps[2].precondition.args.selector",
        ),
    ])
    .await;
}
