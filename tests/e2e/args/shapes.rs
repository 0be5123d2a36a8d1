//! Tools and members that are not there, or not of the right kind.

use serde_json::{Value, json};

use super::{assert_refused, meant, refusal, refuses, untouched};
use crate::support::{Bench, Flavor};

/// `tools/call` of a tool by its raw parameters, which must end in a JSON-RPC error.
async fn unknown_tool(bench: &Bench, name: &str) -> Value {
    bench.client.rpc("tools/call", json!({ "name": name, "arguments": {} })).await.expect_err("there is no such tool")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_tool_is_a_protocol_error_that_says_which_was_meant() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    for (name, meant) in [
        ("tap_elment", "tap_element"),
        ("TapElement", "tap_element"),
        ("get-ui-tree", "get_ui_tree"),
        ("wait", "wait_for_ui"),
        ("journey", "run_journey"),
    ] {
        let error = unknown_tool(&bench, name).await;
        assert_eq!(error["code"], -32602, "{name}: {error:#}");
        let told = &error["data"]["error"];
        assert_eq!((&told["code"], &told["member"]), (&json!("INVALID_ARGUMENT"), &json!("name")), "{name}: {error:#}");
        assert!(told["candidates"].as_array().unwrap().contains(&json!(meant)), "{name}: {error:#}");
        assert!(error["message"].as_str().unwrap().contains("did you mean"), "{name}: {error:#}");
        assert!(told["remedy"].is_string(), "{name}: {error:#}");
    }
    let error = unknown_tool(&bench, "zzzzzzzz").await;
    assert!(
        error["code"] == -32602 && error["data"]["error"].get("candidates").is_none(),
        "nothing is near: {error:#}"
    );
    untouched(&bench);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_member_is_named_with_the_one_that_was_meant() {
    refuses(vec![
        meant("tap_element", json!({ "selektor": { "text": "a" } }), "selektor", "selector"),
        meant("tap_element", json!({ "element_id": "a" }), "element_id", "elementId"),
        meant("tap_element", json!({ "selector": { "txet": "a" } }), "selector.txet", "text"),
        meant("tap_element", json!({ "selector": { "resourceId": "a" } }), "selector.resourceId", "resource_id"),
        meant(
            "tap_element",
            json!({ "selector": { "state": { "chekced": true } } }),
            "selector.state.chekced",
            "checked",
        ),
        meant("tap_element", json!({ "selector": { "within": { "txet": "a" } } }), "selector.within.txet", "text"),
        meant(
            "tap_element",
            json!({ "selector": { "within": { "within": { "rol": "a" } } } }),
            "selector.within.within.rol",
            "role",
        ),
        meant(
            "tap",
            json!({ "x": 1, "y": 1, "expectedState": { "revision": 1 } }),
            "expectedState.revision",
            "snapshotRevision",
        ),
        meant(
            "tap",
            json!({ "x": 1, "y": 1, "expectedState": { "session_id": 1 } }),
            "expectedState.session_id",
            "snapshotSessionId",
        ),
        meant("tap", json!({ "x": 1, "y": 1, "verificationmode": "none" }), "verificationmode", "verificationMode"),
        meant("tap_element", json!({ "waitFor": { "timeout_ms": 100 } }), "waitFor.timeout_ms", "timeoutMs"),
        meant("tap_element", json!({ "waitFor": { "match": { "indx": 1 } } }), "waitFor.match.indx", "index"),
        meant("wait_for_ui", json!({ "timeoutMs": 100 }), "timeoutMs", "timeout_ms"),
        meant("wait_for_ui", json!({ "retry": { "attempts": 1 } }), "retry.attempts", "max_attempts"),
        meant("get_ui_tree", json!({ "device_id": "a" }), "device_id", "deviceId"),
        meant("get_ui_tree", json!({ "scope": { "textt": "a" } }), "scope.textt", "text"),
        meant("start_app", json!({ "appID": "a" }), "appID", "appId"),
        meant(
            "run_journey",
            json!({ "defaults": { "verification": "none" } }),
            "defaults.verification",
            "verificationMode",
        ),
        refusal("list_plugins", json!({ "anything": 1 }), "anything"),
        refusal("run_journey", json!({ "defaults": { "expectedState": {} } }), "defaults.expectedState"),
        refusal("run_journey", json!({ "expectedState": {} }), "expectedState"),
        refusal("swipe", json!({ "precondtion_of_nobody": {} }), "precondtion_of_nobody"),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_required_member_is_named() {
    refuses(vec![
        refusal("tap", json!({}), "x"),
        refusal("tap", json!({ "x": 1 }), "y"),
        refusal("swipe", json!({ "x1": 1, "y1": 1, "x2": 1 }), "y2"),
        refusal("type_text", json!({}), "text"),
        refusal("start_app", json!({}), "appId"),
        refusal("wait_for_ui", json!({}), "selector"),
        refusal("expect_state", json!({ "expected": true }), "property"),
        refusal("expect_state", json!({ "property": "checked", "selector": { "text": "a" } }), "expected"),
        refusal("run_journey", json!({ "steps": [{ "id": "a", "type": "tap" }] }), "platform"),
        refusal("run_journey", json!({ "platform": "android" }), "steps"),
        refusal("tap", json!({ "x": 1, "y": 1, "expectedState": {} }), "expectedState.snapshotSessionId"),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_is_one_target_and_says_something() {
    let twice = json!({ "selector": { "text": "a" }, "elementId": "b" });
    let blank = |text: &str| json!({ "selector": { "text": text } });
    refuses(vec![
        refusal("tap_element", json!({}), "selector"),
        refusal("tap_element", twice, "selector"),
        refusal("tap_element", blank(""), "selector"),
        refusal("tap_element", blank(" \t\n"), "selector"),
        refusal("tap_element", blank("\u{feff}\u{200b}\u{200e}"), "selector"),
        refusal("tap_element", json!({ "selector": {} }), "selector"),
        refusal("tap_element", json!({ "selector": { "contains": true } }), "selector"),
        refusal("tap_element", json!({ "selector": { "text": "a", "within": { "text": " " } } }), "selector.within"),
        refusal("tap_element", json!({ "elementId": "a", "waitFor": {} }), "waitFor"),
        refusal("wait_for_ui", blank(" "), "selector"),
        refusal("expect_element_visible", json!({}), "selector"),
        refusal("expect_element_visible", blank(" "), "selector"),
        refusal("expect_element_visible", json!({ "selector": { "text": "a" }, "element_id": "b" }), "element_id"),
        refusal("expect_state", json!({ "property": "checked", "expected": true }), "selector"),
        refusal(
            "expect_state",
            json!({ "property": "checked", "expected": true, "selector": { "text": "a" }, "element_id": "b" }),
            "element_id",
        ),
        refusal("get_ui_tree", json!({ "scope": { "text": " " } }), "scope"),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_past_a_mebibyte_are_refused_and_those_before_are_read() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    let selector = |bytes: usize| json!({ "selector": { "text": "x".repeat(bytes) } });
    let answer = bench.call("tap_element", selector(1 << 20)).await;
    assert_refused(answer, "arguments", "a mebibyte of text");
    let many: Vec<Value> =
        (0..50).map(|id| json!({ "id": id.to_string(), "type": "type_text", "text": "y".repeat(30_000) })).collect();
    assert_refused(
        bench.call("run_journey", json!({ "platform": "android", "steps": many })).await,
        "arguments",
        "a journey",
    );
    untouched(&bench);
    let answer = bench.call("tap_element", selector((1 << 20) - 100)).await.fine();
    assert_eq!(answer.code(), "ELEMENT_NOT_FOUND");
}
