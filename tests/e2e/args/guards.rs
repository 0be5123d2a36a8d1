//! Guards whose words are wrong: said before the device is looked for.

use serde_json::{Value, json};

use super::{Refusal, meant, refusal, refuses};

/// A tap on a device that need not exist, guarded by this.
fn guarded(precondition: Value) -> Value {
    json!({ "x": 1, "y": 1, "platform": "android", "deviceId": "nowhere", "precondition": precondition })
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(
        json!({ "predicate": "element-visible", "args": { "selector": { "text": "a" } } }),
        |inner, _| json!({ "not": inner }),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_precondition_is_one_predicate_or_one_combination() {
    let predicate = json!({ "predicate": "element-visible", "args": { "selector": { "text": "a" } } });
    let many: Vec<Value> = (0..17).map(|_| predicate.clone()).collect();
    let deep = "precondition.not.not.not.not.not.not.not.not.not";
    refuses(vec![
        refusal("tap", guarded(json!({})), "precondition"),
        refusal("tap", guarded(json!({ "predicate": "snapshot", "not": predicate })), "precondition"),
        refusal("tap", guarded(json!({ "all": [] })), "precondition.all"),
        refusal("tap", guarded(json!({ "any": [] })), "precondition.any"),
        refusal("tap", guarded(json!({ "not": predicate, "args": {} })), "precondition.args"),
        refusal(
            "tap",
            guarded(json!({ "not": { "predicate": "snapshot", "timeoutMs": 500 } })),
            "precondition.not.timeoutMs",
        ),
        refusal("tap", guarded(json!({ "all": [predicate, {}] })), "precondition.all[1]"),
        refusal("tap", guarded(json!({ "all": many })), "precondition.all[16]"),
        refusal("tap", guarded(nested(9)), deep),
        refusal("tap", guarded(nested(60)), deep),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn predicates_and_their_arguments_are_asked_first() {
    let visible = |args: Value| json!({ "predicate": "element-visible", "args": args });
    refuses(vec![
        meant("tap", guarded(json!({ "predicate": "element-visibel" })), "precondition.predicate", "element-visible"),
        meant(
            "tap",
            guarded(json!({ "any": [visible(json!({ "selector": { "text": "a" } })), { "predicate": "snapshto" }] })),
            "precondition.any[1].predicate",
            "snapshot",
        ),
        meant("tap", guarded(json!({ "predicate": "no-such-plugin/snapshot" })), "precondition.predicate", "snapshot"),
        meant("tap", guarded(visible(json!({ "selektor": {} }))), "precondition.args.selektor", "selector"),
        refusal("tap", guarded(visible(json!({ "selector": { "text": 5 } }))), "precondition.args.selector.text"),
        refusal("tap", guarded(visible(json!({ "selector": { "text": " " } }))), "precondition.args.selector"),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guarded_call_says_which_device_it_means() {
    const GUARDS: [(&str, &str); 2] = [
        ("expectedState", r#"{"snapshotSessionId": "a", "snapshotRevision": 1}"#),
        ("precondition", r#"{"predicate": "element-visible", "args": {"selector": {"text": "a"}}}"#),
    ];
    const BASES: [(&str, &str); 5] = [
        ("tap", r#"{"x": 1, "y": 1}"#),
        ("tap_element", r#"{"selector": {"text": "a"}}"#),
        ("swipe", r#"{"x1": 1, "y1": 1, "x2": 1, "y2": 1}"#),
        ("type_text", r#"{"text": "a"}"#),
        ("press_back", "{}"),
    ];
    let mut table: Vec<Refusal> = Vec::new();
    for (guard, words) in GUARDS {
        for (tool, base) in BASES {
            let with = |target: &[(&str, &str)]| {
                let mut arguments: Value = serde_json::from_str(base).unwrap();
                arguments[guard] = serde_json::from_str(words).unwrap();
                for (member, value) in target {
                    arguments[*member] = json!(value);
                }
                arguments
            };
            table.push(refusal(tool, with(&[]), "platform"));
            table.push(refusal(tool, with(&[("deviceId", "a")]), "platform"));
            table.push(refusal(tool, with(&[("platform", "android")]), "deviceId"));
            for alias in ["booted", "default"] {
                table.push(refusal(tool, with(&[("platform", "android"), ("deviceId", alias)]), "deviceId"));
            }
        }
    }
    refuses(table).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expected_state_is_read_strictly() {
    let state =
        |state: Value| json!({ "x": 1, "y": 1, "platform": "android", "deviceId": "nowhere", "expectedState": state });
    let with = |member: &str, value: Value| {
        let mut given = json!({ "snapshotSessionId": "a", "snapshotRevision": 1 });
        given[member] = value;
        state(given)
    };
    let mut table = vec![
        refusal("tap", state(json!(null)), "expectedState"),
        refusal("tap", state(json!("a")), "expectedState"),
        refusal("tap", state(json!({ "snapshotSessionId": "a" })), "expectedState.snapshotRevision"),
        refusal("tap", with("snapshotSessionId", json!("")), "expectedState.snapshotSessionId"),
        refusal("tap", with("snapshotSessionId", json!("  ")), "expectedState.snapshotSessionId"),
        refusal("tap", with("snapshotSessionId", json!(null)), "expectedState.snapshotSessionId"),
        refusal("start_app", json!({ "appId": "a", "expectedState": {} }), "expectedState"),
        refusal("get_ui_tree", json!({ "expectedState": {} }), "expectedState"),
    ];
    for wrong in [json!(0), json!(-1), json!(1_u64 << 53), json!(1.5), json!("1"), json!(null)] {
        table.push(refusal("tap", with("snapshotRevision", wrong), "expectedState.snapshotRevision"));
    }
    for wrong in [json!(99), json!(60_001), json!(500.5), json!("500"), json!(null)] {
        table.push(refusal("tap", with("timeoutMs", wrong), "expectedState.timeoutMs"));
    }
    refuses(table).await;
}
