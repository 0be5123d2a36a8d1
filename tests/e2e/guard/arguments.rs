//! Where a guard may stand and what it must look like; refused before any device work.

use serde_json::{Value, json};

use super::TOOLS;
use crate::support::{Bench, Flavor};

fn state() -> Value {
    json!({ "snapshotSessionId": "0123456789abcdef0123456789abcdef", "snapshotRevision": 1 })
}

/// Refused naming the member, and the phone never heard of it.
async fn refused(bench: &Bench, tool: &str, arguments: Value, member: &str) {
    let mark = bench.mark();
    let case = format!("{tool} {arguments}");
    let answer = bench.call(tool, arguments).await;
    assert!(answer.is_error, "{case}: not refused: {:#}", answer.structured);
    assert_eq!(answer.code(), "INVALID_ARGUMENT", "{case}: {:#}", answer.structured);
    assert_eq!(answer["/error/member"], member, "{case}: {:#}", answer.structured);
    assert!(mark.commands().is_empty(), "{case}: {:#?}", mark.commands());
}

#[tokio::test(flavor = "multi_thread")]
async fn only_inputs_take_a_guard() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    let others = [
        ("start_app", json!({ "appId": "com.example.login" })),
        ("wait_for_ui", json!({ "selector": { "text": "Sign in" } })),
        ("get_ui_tree", json!({})),
        ("get_readiness", json!({})),
        ("expect_element_visible", json!({ "selector": { "text": "Sign in" } })),
        ("expect_state", json!({ "selector": { "text": "Remember me" }, "property": "checked", "expected": true })),
        ("run_journey", json!({ "steps": [{ "id": "a", "type": "press_back" }] })),
    ];
    for (tool, arguments) in others {
        for guard in ["expectedState", "precondition"] {
            let mut arguments = bench.aimed(arguments.clone());
            arguments[guard] = if guard == "expectedState" { state() } else { json!({ "predicate": "snapshot" }) };
            refused(&bench, tool, arguments, guard).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journeys_defaults_and_its_other_steps_take_no_guard() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    let steps = [
        json!({ "type": "start_app", "appId": "com.example.login" }),
        json!({ "type": "wait", "selector": { "text": "Sign in" } }),
        json!({ "type": "assert", "assertion": { "kind": "element_visible", "selector": { "text": "Sign in" } } }),
        json!({ "type": "wait_for_readiness" }),
    ];
    for step in steps {
        let mut step = step;
        step["id"] = json!("guarded");
        step["expectedState"] = state();
        let arguments = bench.aimed(json!({ "steps": [{ "id": "first", "type": "press_back" }, step] }));
        refused(&bench, "run_journey", arguments, "steps[1].expectedState").await;
    }
    let arguments = bench
        .aimed(json!({ "defaults": { "expectedState": state() }, "steps": [{ "id": "a", "type": "press_back" }] }));
    refused(&bench, "run_journey", arguments, "defaults.expectedState").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guard_is_strict() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    let with = |name: &str, value: Value| {
        let mut state = state();
        state[name] = value;
        state
    };
    let wrong = [
        (Value::Null, "expectedState"),
        (json!("now"), "expectedState"),
        (json!({ "snapshotSessionId": "a" }), "expectedState.snapshotRevision"),
        (json!({ "snapshotRevision": 1 }), "expectedState.snapshotSessionId"),
        (with("snapshotSessionId", json!("")), "expectedState.snapshotSessionId"),
        (with("snapshotSessionId", json!("  ")), "expectedState.snapshotSessionId"),
        (with("snapshotSessionId", Value::Null), "expectedState.snapshotSessionId"),
        (with("snapshotRevision", json!(0)), "expectedState.snapshotRevision"),
        (with("snapshotRevision", json!(-1)), "expectedState.snapshotRevision"),
        (with("snapshotRevision", json!(1.5)), "expectedState.snapshotRevision"),
        (with("snapshotRevision", json!("1")), "expectedState.snapshotRevision"),
        (with("snapshotRevision", Value::Null), "expectedState.snapshotRevision"),
        (with("snapshotRevision", json!(9_007_199_254_740_992_u64)), "expectedState.snapshotRevision"),
        (with("timeoutMs", json!(99)), "expectedState.timeoutMs"),
        (with("timeoutMs", json!(60_001)), "expectedState.timeoutMs"),
        (with("timeoutMs", json!(1_000.5)), "expectedState.timeoutMs"),
        (with("timeoutMs", Value::Null), "expectedState.timeoutMs"),
        (with("timeout", json!(1_000)), "expectedState.timeout"),
    ];
    for tool in &TOOLS {
        for (guard, member) in &wrong {
            let mut arguments = bench.aimed(tool.arguments());
            arguments["expectedState"] = guard.clone();
            refused(&bench, tool.name, arguments, member).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guard_needs_a_platform_and_a_device_by_its_own_id() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    for tool in &TOOLS {
        for guard in ["expectedState", "precondition"] {
            let guarded = |mut arguments: Value| {
                arguments[guard] = if guard == "expectedState" {
                    state()
                } else {
                    json!({ "predicate": "text-present", "args": { "text": "Sign in" } })
                };
                arguments
            };
            let mut anonymous = bench.aimed(tool.arguments());
            anonymous.as_object_mut().unwrap().remove("platform");
            refused(&bench, tool.name, guarded(anonymous), "platform").await;
            let mut somewhere = bench.aimed(tool.arguments());
            somewhere.as_object_mut().unwrap().remove("deviceId");
            refused(&bench, tool.name, guarded(somewhere), "deviceId").await;
            for alias in ["booted", "default"] {
                let mut aliased = bench.aimed(tool.arguments());
                aliased["deviceId"] = json!(alias);
                refused(&bench, tool.name, guarded(aliased), "deviceId").await;
            }
        }
    }
}
