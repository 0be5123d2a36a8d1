//! What an agent passes is data to every shell it meets on its way.

use serde_json::{Value, json};

use crate::support::{Bench, Flavor};

/// Texts that would tap, were they ever parsed.
const HOSTILE: [&str; 12] = [
    "a;input tap 5 5",
    "a&&input tap 5 5",
    "a|input tap 5 5",
    "$(input tap 5 5)",
    "`input tap 5 5`",
    "'||input tap 5 5||'",
    "\"||input tap 5 5||\"",
    "a\ninput tap 5 5\n",
    "a'$(input tap 5 5)'b",
    "\\';input tap 5 5;\\'",
    "-n a/b; input tap 5 5",
    "%s;input%stap%s5%s5",
];

#[tokio::test(flavor = "multi_thread")]
async fn nothing_an_agent_passes_is_run_by_a_shell() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    bench.call("tap_element", json!({ "selector": { "resource_id": "username" } })).await.succeeded();
    let mark = bench.mark();
    for text in HOSTILE {
        let steps = |step: Value| json!({ "platform": "android", "steps": [step] });
        let calls = [
            ("start_app", json!({ "appId": text, "verificationMode": "none" })),
            ("list_devices", json!({ "appId": text })),
            ("get_ui_tree", json!({ "deviceId": text })),
            ("get_ui_tree", json!({ "scope": { "text": text } })),
            ("tap_element", json!({ "selector": { "text": text, "resource_id": text } })),
            ("tap_element", json!({ "elementId": text })),
            ("wait_for_ui", json!({ "selector": { "accessibility_id": text }, "timeout_ms": 100 })),
            (
                "run_journey",
                steps(json!({ "id": text, "type": "start_app", "appId": text, "verificationMode": "none" })),
            ),
            ("run_journey", steps(json!({ "id": "a", "type": text }))),
        ];
        for (tool, arguments) in calls {
            bench.call(tool, arguments).await;
        }
        let taps: Vec<_> =
            mark.input_commands().into_iter().filter(|command| command.argv.iter().any(|word| word == "tap")).collect();
        assert!(taps.is_empty() && mark.inputs().is_empty(), "{text:?}: {taps:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_arrives_as_it_was_written() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    for text in HOSTILE.into_iter().filter(|text| !text.contains('\n')).chain([
        "~ * ? ! # {a,b} <>",
        "--",
        "100% sure %25 %s",
        " a  b ",
    ]) {
        bench.phone().goto("login");
        bench.phone().set_text("login.username", "");
        bench.call("tap_element", json!({ "selector": { "resource_id": "username" } })).await.succeeded();
        let mark = bench.mark();
        let answer = bench.call("type_text", json!({ "text": text, "verificationMode": "none" })).await.fine();
        let other: Vec<_> = mark.inputs().into_iter().filter(|input| input.kind != "text").collect();
        assert!(other.is_empty(), "{text:?}: {other:#?}");
        if answer["success"] == true {
            assert_eq!(bench.phone().text_of("login.username").as_deref(), Some(text));
        } else {
            assert_eq!((answer.code(), &answer["dispatch_started"]), ("UNSUPPORTED_TEXT", &json!(false)), "{text:?}");
            assert!(mark.inputs().is_empty(), "{text:?}");
        }
    }
}
