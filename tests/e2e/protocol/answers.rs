//! Each answer of each tool fits the schema it is advertised with, and holds nothing that is not in it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::support::{Answer, Bench, Era, Flavor, Setup};

const APP: &str = "com.example.login";

/// Arguments each tool does its work with on the login screen; of those that judge or act, also some it fails with.
fn working(tool: &str) -> Option<Vec<Value>> {
    let (there, nowhere) = (json!({ "text": "Sign in" }), json!({ "text": "nowhere" }));
    let step = |selector: &Value| json!([{ "id": "a", "type": "tap", "selector": selector }]);
    Some(match tool {
        "adjust_control" => vec![
            json!({ "selector": { "text": "Remember me" }, "targetValue": true }),
            json!({ "selector": nowhere, "targetValue": 1 }),
        ],
        "scroll_to_element" => vec![
            json!({ "selector": there, "responseMode": "compact" }),
            json!({ "selector": nowhere, "maxScrolls": 1 }),
        ],
        "classify_action_outcome" => {
            vec![json!({ "uiChanged": true }), json!({ "uiChanged": false, "actionType": "tap" })]
        }
        "expect_screen" => vec![json!({ "screen": ".MainActivity" }), json!({ "fingerprint": "another" })],
        "find_element" => vec![json!({ "query": "sign in" }), json!({ "query": "nowhere", "timeoutMs": 300 })],
        "accept_dialog" | "dismiss_dialog" => vec![json!({}), json!({ "responseMode": "compact" })],
        "build_app" | "build_and_install" => vec![
            json!({ "projectPath": crate::tools::builds::flutter_project() }),
            json!({ "projectPath": "/nowhere" }),
        ],
        "double_tap" => vec![json!({ "selector": there }), json!({ "x": 540, "y": 350, "responseMode": "compact" })],
        "drag" => vec![json!({ "x1": 500, "y1": 1500, "x2": 500, "y2": 700, "duration": 20 })],
        "hide_keyboard" => vec![json!({}), json!({ "responseMode": "compact" })],
        "long_press" => vec![json!({ "selector": there, "duration": 400 }), json!({ "selector": nowhere })],
        "pinch" => vec![json!({ "x": 540, "y": 1170, "scale": 2 })],
        "press_key" => vec![json!({ "key": "tab" }), json!({ "key": "nosuchkey" })],
        "expect_element_visible" => {
            vec![json!({ "selector": there }), json!({ "selector": nowhere, "timeout_ms": 300 })]
        }
        "expect_state" => vec![
            json!({ "selector": { "text": "Remember me" }, "property": "checked", "expected": false }),
            json!({ "selector": { "text": "Remember me" }, "property": "checked", "expected": true, "timeout_ms": 300 }),
        ],
        "get_readiness" => vec![json!({}), json!({ "samples": 1 })],
        "get_ui_tree" => vec![json!({}), json!({ "format": "text" }), json!({ "mode": "compact" })],
        "get_current_screen"
        | "get_screen_fingerprint"
        | "get_system_status"
        | "list_devices"
        | "list_plugins"
        | "reload_plugins" => {
            vec![json!({})]
        }
        "capture_debug_snapshot" => vec![json!({}), json!({ "includeLogs": false, "includeScreenshot": false })],
        "capture_screenshot" => vec![json!({}), json!({ "format": "jpeg", "maxLongEdge": 200 })],
        "get_network_activity" => vec![json!({})],
        "start_log_stream" => vec![json!({ "packageName": APP }), json!({ "packageName": "not.installed" })],
        "read_log_stream" | "stop_log_stream" => vec![json!({ "sessionId": "default" })],
        "get_logs" => vec![json!({}), json!({ "appId": APP, "level": "info" }), json!({ "appId": "not.installed" })],
        "grant_permission" | "revoke_permission" => vec![
            json!({ "appId": APP, "permission": "android.permission.CAMERA" }),
            json!({ "appId": APP, "permission": "android.permission.INTERNET" }),
        ],
        // None of it needs a phone that has it: an emulator's console, its program, a clipboard's command.
        "boot_device" | "shutdown_device" | "get_clipboard" => vec![json!({})],
        "set_clipboard" => vec![json!({ "text": "a" })],
        "set_location" => vec![json!({ "latitude": 1.5, "longitude": -2 })],
        "set_orientation" => vec![json!({ "orientation": "landscape" }), json!({ "orientation": "portrait" })],
        "open_url" => vec![json!({ "url": "simphone:a" }), json!({ "url": "https://example.com" })],
        "install_app" => {
            vec![json!({ "appPath": concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/apks/tiny.apk") })]
        }
        "terminate_app" | "reset_app_data" => vec![json!({ "appId": APP }), json!({ "appId": "not.installed" })],
        "press_back" => vec![json!({ "responseMode": "compact" }), json!({ "verificationMode": "light" })],
        "run_journey" => vec![
            json!({ "platform": "android", "steps": step(&there) }),
            json!({ "platform": "android", "steps": step(&nowhere), "responseMode": "debug" }),
        ],
        "restart_app" | "start_app" => vec![json!({ "appId": APP }), json!({ "appId": "not.installed" })],
        "swipe" => vec![json!({ "x1": 500, "y1": 1500, "x2": 500, "y2": 700 })],
        "tap" => vec![json!({ "x": 540, "y": 1170 }), json!({ "x": 1, "y": 1, "verificationMode": "none" })],
        "tap_element" => vec![json!({ "selector": there }), json!({ "selector": nowhere })],
        "type_text" => vec![json!({ "text": "a" })],
        "wait_for_readiness" => vec![json!({}), json!({ "state": "debugger_paused", "timeoutMs": 300 })],
        "wait_for_screen_change" => vec![json!({ "previousFingerprint": "another" })],
        "wait_for_ui_change" => vec![json!({ "timeout_ms": 500 })],
        "wait_for_ui" => {
            vec![json!({ "selector": there, "timeout_ms": 10_000 }), json!({ "selector": nowhere, "timeout_ms": 300 })]
        }
        _ => return None,
    })
}

/// The schema was checked by the client; open as it is, nothing may stand at its top that it does not name.
fn named(schemas: &BTreeMap<String, Value>, answer: &Answer) {
    let known = schemas[&answer.tool]["properties"].as_object().unwrap();
    let strangers: Vec<&str> = answer.members().into_iter().filter(|member| !known.contains_key(*member)).collect();
    assert!(strangers.is_empty(), "{} answers with {strangers:?}, which its schema does not name", answer.tool);
}

async fn each_answer_fits(bench: &Bench) {
    let schemas: BTreeMap<String, Value> = bench
        .client
        .tools()
        .await
        .into_iter()
        .map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool["outputSchema"].clone()))
        .collect();
    let (mut good, mut refused) = (BTreeSet::new(), BTreeSet::new());
    for tool in schemas.keys() {
        // Some of them leave the screen they work on.
        bench.call("start_app", json!({ "appId": APP, "verificationMode": "none" })).await.succeeded();
        if tool.ends_with("_log_stream") {
            bench.call("start_log_stream", json!({ "packageName": APP })).await.succeeded();
        }
        let Some(working) = working(tool) else { panic!("{tool} is new: say here what it works with") };
        for arguments in working {
            let answer = bench.call(tool, arguments.clone()).await;
            named(&schemas, &answer);
            if !answer.is_error {
                good.insert(tool.clone());
            }
            // What looks at nothing and cannot be had from Android is refused, and says so.
            if tool == "get_clipboard" {
                answer.refused("UNSUPPORTED", None);
                good.insert(tool.clone());
            }
            // Each of them may also be asked of a device that is not there.
            let mut elsewhere = arguments;
            elsewhere["platform"] = json!("android");
            elsewhere["deviceId"] = json!("nowhere");
            let answer = bench.call(tool, elsewhere).await;
            named(&schemas, &answer);
        }
        let answer = bench.call(tool, json!({ "nonsense": true })).await.refused("INVALID_ARGUMENT", Some("nonsense"));
        named(&schemas, &answer);
        refused.insert(tool.clone());
    }
    let all: BTreeSet<String> = schemas.into_keys().collect();
    assert_eq!((&good, &refused), (&all, &all), "each tool answered both ways");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_tool_answers_as_advertised_when_it_works_and_when_it_refuses() {
    each_answer_fits(&Bench::new("login", Flavor::StandIn).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_tool_answers_as_advertised_in_the_stateless_era_too() {
    let setup = Setup::new("login", Flavor::StandIn).server(|server| server.era = Era::Stateless("2026-07-28"));
    each_answer_fits(&setup.start().await).await;
}
