//! Wrong arguments are named, explained, and never reach the device.

use serde_json::{Value, json};

use crate::support::{Bench, Flavor};

/// A tool, arguments with one thing wrong, and the member that is named.
fn table() -> Vec<(&'static str, Value, &'static str)> {
    let selector = json!({ "text": "Sign in" });
    vec![
        ("tap", json!({ "x": 1 }), "y"),
        ("tap", json!({ "x": "1", "y": 1 }), "x"),
        ("tap", json!({ "x": 1.5, "y": 1 }), "x"),
        ("tap", json!({ "x": null, "y": 1 }), "x"),
        ("tap", json!({ "x": 1, "y": 1, "verificationMode": "heavy" }), "verificationMode"),
        ("tap", json!({ "x": 1, "y": 1, "responseMode": "terse" }), "responseMode"),
        ("tap", json!({ "x": 1, "y": 1, "actionTimeoutMs": 1.5 }), "actionTimeoutMs"),
        ("tap", json!({ "x": 1, "y": 1, "actionTimeoutMs": "500" }), "actionTimeoutMs"),
        ("tap", json!({ "x": 1, "y": 1, "actionTimeoutMs": null }), "actionTimeoutMs"),
        ("tap", json!({ "x": 1, "y": 1, "verificationTimeoutMs": true }), "verificationTimeoutMs"),
        ("tap", json!({ "x": 1, "y": 1, "platform": "windows" }), "platform"),
        ("tap", json!({ "x": 1, "y": 1, "deviceId": 5 }), "deviceId"),
        ("tap", json!({ "x": 1, "y": 1, "device_id": "a" }), "device_id"),
        ("tap_element", json!({}), "selector"),
        ("tap_element", json!({ "selector": {} }), "selector"),
        ("tap_element", json!({ "selector": { "text": "  " } }), "selector"),
        ("tap_element", json!({ "selector": { "txt": "a" } }), "selector.txt"),
        ("tap_element", json!({ "selector": { "resourceId": "a" } }), "selector.resourceId"),
        ("tap_element", json!({ "selector": selector, "elementId": "e1" }), "selector"),
        ("tap_element", json!({ "elementId": "e1.1.0123456789abcdef", "waitFor": {} }), "waitFor"),
        ("tap_element", json!({ "selector": selector, "waitFor": { "timeoutMs": 99 } }), "waitFor.timeoutMs"),
        ("tap_element", json!({ "selector": selector, "waitFor": { "timeoutMs": 10_001 } }), "waitFor.timeoutMs"),
        ("tap_element", json!({ "selector": selector, "waitFor": { "pollIntervalMs": 49 } }), "waitFor.pollIntervalMs"),
        ("tap_element", json!({ "selector": selector, "waitFor": { "condition": "gone" } }), "waitFor.condition"),
        ("swipe", json!({ "x1": 1, "y1": 1, "x2": 1 }), "y2"),
        ("swipe", json!({ "x1": 1, "y1": 1, "x2": 1, "y2": 1, "duration": 0 }), "duration"),
        ("swipe", json!({ "x1": 1, "y1": 1, "x2": 1, "y2": 1, "duration": 10_001 }), "duration"),
        ("type_text", json!({}), "text"),
        ("type_text", json!({ "text": "" }), "text"),
        ("type_text", json!({ "text": 5 }), "text"),
        ("press_back", json!({ "times": 2 }), "times"),
        ("start_app", json!({}), "appId"),
        ("start_app", json!({ "appid": "a" }), "appid"),
        ("get_ui_tree", json!({ "sinceSnapshotRevision": 0, "responseMode": "compact" }), "sinceSnapshotRevision"),
        ("get_ui_tree", json!({ "sinceSnapshotRevision": 1 }), "sinceSnapshotRevision"),
        ("get_ui_tree", json!({ "format": "xml" }), "format"),
        ("get_ui_tree", json!({ "maxElements": 0 }), "maxElements"),
        ("wait_for_ui", json!({}), "selector"),
        ("wait_for_ui", json!({ "selector": selector, "timeout_ms": 99 }), "timeout_ms"),
        ("wait_for_ui", json!({ "selector": selector, "timeout_ms": 300_001 }), "timeout_ms"),
        ("wait_for_ui", json!({ "selector": selector, "timeoutMs": 500 }), "timeoutMs"),
        ("wait_for_ui", json!({ "selector": selector, "poll_interval_ms": 49 }), "poll_interval_ms"),
        ("wait_for_ui", json!({ "selector": selector, "poll_interval_ms": 2_001 }), "poll_interval_ms"),
        ("wait_for_ui", json!({ "selector": selector, "match": { "index": -1 } }), "match.index"),
        ("wait_for_ui", json!({ "selector": selector, "retry": { "max_attempts": 0 } }), "retry.max_attempts"),
        ("expect_element_visible", json!({}), "selector"),
        ("expect_element_visible", json!({ "selector": selector, "element_id": "e" }), "element_id"),
        ("expect_state", json!({ "selector": selector, "property": "checked" }), "expected"),
        ("expect_state", json!({ "selector": selector, "property": "colour", "expected": 1 }), "property"),
        ("expect_state", json!({ "selector": selector, "property": "checked", "expected": null }), "expected"),
        (
            "expect_state",
            json!({ "selector": selector, "property": "checked", "expected": true, "timeout_ms": 60_001 }),
            "timeout_ms",
        ),
        ("get_readiness", json!({ "samples": 3 }), "samples"),
        ("get_readiness", json!({ "stabilityMs": 99 }), "stabilityMs"),
        ("wait_for_readiness", json!({ "state": "ready" }), "state"),
        ("wait_for_readiness", json!({ "timeoutMs": 60_001 }), "timeoutMs"),
        ("run_journey", json!({ "platform": "android" }), "steps"),
        ("run_journey", json!({ "platform": "android", "steps": [] }), "steps"),
        ("run_journey", json!({ "steps": [{ "id": "a", "type": "press_back" }] }), "platform"),
        ("run_journey", json!({ "platform": "android", "steps": [{ "type": "press_back" }] }), "steps[0].id"),
        ("run_journey", json!({ "platform": "android", "steps": [{ "id": "a", "type": "dance" }] }), "steps[0].type"),
        (
            "run_journey",
            json!({ "platform": "android", "steps": [{ "id": "a", "type": "press_back" }, { "id": "a", "type": "press_back" }] }),
            "steps[1].id",
        ),
        (
            "run_journey",
            json!({ "platform": "android", "defaults": { "timeout": 1 }, "steps": [{ "id": "a", "type": "press_back" }] }),
            "defaults.timeout",
        ),
        (
            "run_journey",
            json!({ "platform": "android", "steps": [{ "id": "a", "type": "press_back", "times": 2 }] }),
            "steps[0].times",
        ),
        ("run_journey", json!({ "platform": "android", "steps": [{ "id": "a", "type": "tap" }] }), "steps[0].selector"),
        (
            "run_journey",
            json!({ "platform": "android", "steps": [{ "id": "a", "type": "tap", "selector": { "text": "a" }, "elementId": "e" }] }),
            "steps[0].elementId",
        ),
        (
            "run_journey",
            json!({ "platform": "android", "steps": [{ "id": "a", "type": "assert", "timeoutMs": 99, "assertion": { "kind": "element_visible", "selector": { "text": "a" } } }] }),
            "steps[0].timeoutMs",
        ),
        (
            "run_journey",
            json!({ "platform": "android", "steps": [{ "id": "a", "type": "assert", "assertion": { "kind": "screen_fingerprint", "fingerprint": "ab", "selector": { "text": "a" } } }] }),
            "steps[0].assertion.selector",
        ),
        ("list_plugins", json!({ "all": true }), "all"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn the_member_at_fault_is_named_before_any_device_work() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    let mut wrong = Vec::new();
    for (tool, arguments, member) in table() {
        let mark = bench.mark();
        let answer = bench.call(tool, arguments.clone()).await;
        let named = &answer["/error/member"];
        let fine =
            answer.is_error && answer.code() == "INVALID_ARGUMENT" && named == member && mark.commands().is_empty();
        if !fine {
            wrong.push(format!("{tool} {arguments}: expected {member}, got {named} in {}", answer.structured));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_one_steps_are_too_many() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    let steps: Vec<_> = (0..51).map(|number| json!({ "id": format!("s{number}"), "type": "press_back" })).collect();
    bench
        .call("run_journey", json!({ "platform": "android", "steps": steps }))
        .await
        .refused("INVALID_ARGUMENT", Some("steps"));
}

#[tokio::test(flavor = "multi_thread")]
async fn near_names_are_suggested() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    for (tool, arguments, meant) in [
        ("tap", json!({ "x": 1, "y": 1, "device_id": "a" }), "deviceId"),
        ("wait_for_ui", json!({ "selector": { "text": "a" }, "timeoutMs": 500 }), "timeout_ms"),
        ("tap_element", json!({ "selector": { "resourceId": "a" } }), "resource_id"),
        ("start_app", json!({ "appid": "a" }), "appId"),
    ] {
        let answer = bench.call(tool, arguments).await.refused("INVALID_ARGUMENT", None);
        assert!(answer["/error/message"].as_str().unwrap().contains(meant), "{:#}", answer.structured);
        assert_eq!(answer["/error/candidates/0"], meant, "{:#}", answer.structured);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_tool_is_a_protocol_error_with_the_error_object() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    let error = bench.client.rpc("tools/call", json!({ "name": "tap_elemnt", "arguments": {} })).await.unwrap_err();
    assert_eq!(error["code"], -32_602);
    assert_eq!(error["data"]["error"]["code"], "INVALID_ARGUMENT", "{error:#}");
    assert!(error["message"].as_str().unwrap().contains("tap_element"), "{error:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_of_a_mebibyte_are_refused_and_broken_lines_skipped() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    let answer = bench.call("type_text", json!({ "text": "a".repeat(1 << 20) })).await;
    assert_eq!(answer.code(), "INVALID_ARGUMENT", "{}", answer.text.chars().take(300).collect::<String>());
    bench.client.send_line("{ this is not JSON").await;
    bench.client.send_line("").await;
    bench.client.send_line(r#"{"jsonrpc":"2.0","method":"no/such/notification"}"#).await;
    bench.call("list_devices", json!({})).await.fine();
}
