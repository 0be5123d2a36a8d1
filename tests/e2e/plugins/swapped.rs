//! Built-in components in whose place another is loaded: the answer is the component's, the safety is the host's.

use serde_json::{Value, json};
use simphone::Scene;

use super::{provided, shown, swapped};
use crate::support::{Bench, Flavor, Setup};

fn tap(text: &str) -> Value {
    json!({ "platform": "android", "steps": [{ "id": "it", "type": "tap", "selector": { "text": text }, "verificationMode": "none" }] })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contrary_tap_flips_the_journey_and_taps_nothing() {
    let honest = Bench::new("login", Flavor::StandIn).await;
    let contrary = swapped("login", "steps", "tests/contrary-tap.wasm").start().await;

    let mark = honest.mark();
    assert_eq!(honest.call("run_journey", tap("Sign in")).await.fine()["success"], true);
    mark.one_input("tap", "the built-in step");
    let mark = contrary.mark();
    let answer = contrary.call("run_journey", tap("Sign in")).await.fine();
    assert_eq!(
        (&answer["success"], &answer["stopped_at_step_id"]),
        (&json!(false), &json!("it")),
        "{:#}",
        answer.structured
    );
    assert_eq!(answer["/steps/0/result/failure_code"], "ACTION_REJECTED");
    assert_eq!(answer["/steps/0/result/matched"], 1);
    mark.no_input("the contrary step");
    assert_eq!(contrary.phone().screen_name(), "login");

    assert_eq!(
        honest.call("run_journey", tap("Nobody")).await.fine()["/steps/0/result/failure_code"],
        "ELEMENT_NOT_FOUND"
    );
    let answer = contrary.call("run_journey", tap("Nobody")).await.fine();
    assert_eq!(
        (&answer["success"], &answer["/steps/0/status"]),
        (&json!(true), &json!("passed")),
        "{:#}",
        answer.structured
    );
    mark.no_input("the contrary step");

    // tap_element is the host's own and knows nothing of it.
    contrary
        .call("tap_element", json!({ "selector": { "text": "Sign in" }, "verificationMode": "none" }))
        .await
        .succeeded();
    mark.one_input("tap", "tap_element");
}

/// A screen that loads for good.
const LOADING: &str = r#"
[app]
package = "com.example.loading"
label = "Loading"
start = "loading"

[[screen]]
name = "loading"
activity = ".MainActivity"

[[screen.element]]
class = "ProgressBar"
rid = "progress"
bounds = [480, 1040, 600, 1160]
"#;

fn loading(setup: Setup) -> Setup {
    setup.phone(|phone| phone.scene = Scene::parse("loading", LOADING).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contrary_classifier_flips_what_is_waited_for() {
    let wait = json!({ "timeoutMs": 1_500 });
    let settled = Bench::new("login", Flavor::StandIn).await;
    settled.call("wait_for_readiness", wait.clone()).await.succeeded();
    let busy = loading(Setup::new("login", Flavor::StandIn)).start().await;
    let answer = busy.call("wait_for_readiness", wait.clone()).await.fine();
    assert_eq!((&answer["success"], answer.code()), (&json!(false), "TIMEOUT"), "{:#}", answer.structured);

    let settled = swapped("login", "readiness", "tests/contrary-readiness.wasm").start().await;
    let answer = settled.call("wait_for_readiness", wait.clone()).await.fine();
    assert_eq!((&answer["success"], answer.code()), (&json!(false), "TIMEOUT"), "{:#}", answer.structured);
    assert_eq!(answer["/readiness/classifiers"], json!([{ "name": "contrary", "state": "loading" }]));
    let busy = loading(swapped("login", "readiness", "tests/contrary-readiness.wasm")).start().await;
    let answer = busy.call("wait_for_readiness", wait).await.succeeded();
    assert_eq!(answer["/readiness/state"], "settled", "{:#}", answer.structured);
    assert_eq!(answer["/readiness/classifiers"], json!([{ "name": "contrary", "state": "settled" }]));
    // What only the host can know stays the host's: one sample never says settled, whatever a classifier says.
    let answer = busy.call("get_readiness", json!({ "samples": 1 })).await.fine();
    assert_eq!(answer["/readiness/state"], "unknown", "{:#}", answer.structured);
}

async fn guarded(bench: &Bench, state: &Value) -> crate::support::Answer {
    let guard = json!({ "x": 540, "y": 1170, "verificationMode": "none", "expectedState": state });
    bench.call("tap", bench.aimed(guard)).await.fine()
}

async fn expected(bench: &Bench) -> Value {
    let tree = bench.call("get_ui_tree", json!({ "responseMode": "compact" })).await.fine();
    json!({ "snapshotSessionId": tree["snapshot_session_id"], "snapshotRevision": tree["snapshot_revision"] })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_predicate_that_fails_blocks_a_guard_that_matches() {
    let bench = swapped("login", "conditions", "tests/snapshot-fails.wasm").start().await;
    let state = expected(&bench).await;
    let mark = bench.mark();
    let answer = guarded(&bench, &state).await;
    mark.no_input("snapshot-fails");
    assert_eq!(
        (answer.code(), &answer["/condition/status"]),
        ("PRECONDITION_FAILED", &json!("mismatch")),
        "{:#}",
        answer.structured
    );
    assert_eq!(answer["/condition/observed/snapshot_revision"], state["snapshotRevision"], "the screen is the same");
    assert_eq!((&answer["/checks/0/predicate"], &answer["/checks/0/verdict"]), (&json!("snapshot"), &json!("fails")));
    assert_eq!(answer["/checks/0/reason"], "says so always");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_predicate_that_holds_cannot_let_a_changed_screen_pass() {
    let bench = swapped("login", "conditions", "tests/snapshot-holds.wasm").start().await;
    let state = expected(&bench).await;
    bench.phone().set_text("login.title", "Another title");
    let mark = bench.mark();
    let answer = guarded(&bench, &state).await;
    assert_eq!(
        (answer.code(), &answer["/condition/status"]),
        ("PRECONDITION_FAILED", &json!("mismatch")),
        "{:#}",
        answer.structured
    );
    assert_eq!(answer["/checks/0/verdict"], "holds", "the component said yes: {:#}", answer.structured);
    // Nor may it stand for a session or a baseline that is not there.
    for (member, value, reason) in [
        ("snapshotSessionId", json!("0".repeat(32)), "SESSION_MISMATCH"),
        ("snapshotRevision", json!(9_999_999), "BASELINE_UNAVAILABLE"),
    ] {
        let mut foreign = state.clone();
        foreign[member] = value;
        let answer = guarded(&bench, &foreign).await;
        assert_eq!(
            (answer.code(), &answer["/condition/reason"]),
            ("PRECONDITION_UNAVAILABLE", &json!(reason)),
            "{:#}",
            answer.structured
        );
    }
    mark.no_input("snapshot-holds");
    guarded(&bench, &expected(&bench).await).await.succeeded();
    mark.one_input("tap", "a match");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_built_in_that_cannot_be_used_is_named_and_the_rest_works() {
    let bench = swapped("login", "steps", "tests/describe-hangs.wasm").start().await;
    let steps = shown(&bench, "steps").await;
    assert_eq!((&steps["state"], &steps["problem"]["code"]), (&json!("refused"), &json!("PLUGIN_FAULT")), "{steps:#}");
    assert_eq!(provided(&shown(&bench, "conditions").await, "predicates").len(), 4);
    let answer = bench.call("run_journey", tap("Sign in")).await.refused("PLUGIN_FAULT", Some("steps[0].type"));
    assert!(answer["/error/message"].as_str().unwrap().contains("steps"), "{:#}", answer.structured);
    bench.call("tap_element", json!({ "selector": { "text": "Sign in" } })).await.succeeded();
    bench.call("wait_for_readiness", json!({})).await.succeeded();
}
