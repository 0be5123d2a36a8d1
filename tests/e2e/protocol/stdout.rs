//! stdout belongs to the protocol, whatever is logged and however much goes on; progress keeps its order.

use std::time::Duration;

use serde_json::{Value, json};
use simphone::Fault;

use crate::support::{Bench, Era, Flavor, Setup};

/// Calls of each of eight tools at once.
const ROUNDS: usize = 25;

/// Eight tools at once on one phone, again and again; with lines in between that are no messages.
async fn under_load(bench: &Bench) {
    let steps = json!([{ "id": "a", "type": "wait", "selector": { "text": "Sign in" } }]);
    let tools = [
        ("get_ui_tree", json!({ "format": "text" })),
        ("tap_element", json!({ "selector": { "text": "Remember me" }, "verificationMode": "none" })),
        ("get_readiness", json!({ "samples": 1 })),
        ("list_devices", json!({})),
        ("run_journey", json!({ "platform": "android", "steps": steps })),
        ("list_plugins", json!({})),
        ("wait_for_ui", json!({ "selector": { "text": "Sign in" } })),
        ("tap", json!({ "x": "not a number" })),
    ];
    let one = async |tool: &'static str, arguments: &Value| {
        let mut ids = Vec::new();
        for round in 0..ROUNDS {
            if round % 8 == 0 {
                bench.client.send_line("not a message").await;
            }
            let call = bench.client.begin(tool, arguments.clone()).await;
            ids.push(call.id);
            let answer = call.answer().await;
            assert_eq!(answer.is_error, tool == "tap", "{tool}: {:#}", answer.structured);
        }
        ids
    };
    let asked = futures::future::join_all(tools.iter().map(|(tool, arguments)| one(tool, arguments))).await;
    bench.client.check_stdout();
    let messages = bench.client.messages();
    for id in asked.into_iter().flatten() {
        let answers = messages.iter().filter(|message| message["id"] == id && message.get("method").is_none()).count();
        assert_eq!(answers, 1, "answers to {id}");
        let (values, places, answer) = progress(&messages, id);
        assert!(values.is_sorted_by(|before, after| before < after), "{values:?}");
        assert!(places.iter().all(|place| *place < answer), "progress of {id} after its answer");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_line_is_a_message_under_load_with_everything_logged() {
    let setup =
        Setup::new("login", Flavor::StandIn).server(|server| server.env.push(("RUST_LOG".into(), "trace".into())));
    let bench = setup.start().await;
    under_load(&bench).await;
    assert!(bench.client.stderr().contains("TRACE"), "everything was logged");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_line_is_a_message_under_load_in_the_stateless_era() {
    let setup = Setup::new("login", Flavor::StandIn).server(|server| server.era = Era::Stateless("2026-07-28"));
    under_load(&setup.start().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn typed_text_and_screens_are_not_logged_by_default() {
    let setup = Setup::new("login", Flavor::StandIn)
        .server(|server| server.env.push(("RUST_LOG".into(), "handset=debug".into())));
    let bench = setup.start().await;
    bench.call("tap_element", json!({ "selector": { "resource_id": "username" } })).await.succeeded();
    bench.call("type_text", json!({ "text": "verysecretname" })).await.succeeded();
    bench.call("tap_element", json!({ "selector": { "text": "sentimentalselector" } })).await.fine();
    bench.call("get_ui_tree", json!({})).await.fine();
    let log = bench.client.stderr();
    for secret in ["verysecretname", "sentimentalselector", "Sign in to Example"] {
        assert!(!log.contains(secret), "{secret} was logged: {log}");
    }
    assert!(log.contains("type_text"), "calls are logged: {log}");
}

/// Progress values of a token, and where in all messages they and the answer stand.
fn progress(messages: &[Value], id: i64) -> (Vec<f64>, Vec<usize>, usize) {
    let ours =
        |message: &Value| message["method"] == "notifications/progress" && message["params"]["progressToken"] == id;
    let places: Vec<usize> =
        messages.iter().enumerate().filter(|(_, message)| ours(message)).map(|(place, _)| place).collect();
    let values = places.iter().map(|place| messages[*place]["params"]["progress"].as_f64().unwrap()).collect();
    let answer =
        messages.iter().position(|message| message["id"] == id && message.get("method").is_none()).expect("answered");
    (values, places, answer)
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_rises_and_ends_before_the_answer() {
    let bench = Setup::new("login", Flavor::StandIn).start().await;
    let step = |id: usize| json!({ "id": id.to_string(), "type": "wait", "selector": { "text": "Sign in" } });
    let steps: Vec<Value> = (0..12).map(step).collect();
    let call = bench.client.begin("run_journey", json!({ "platform": "android", "steps": steps })).await;
    let id = call.id;
    call.answer().await.succeeded();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let (values, places, answer) = progress(&bench.client.messages(), id);
    assert!(values.len() >= 12, "a step at a time: {values:?}");
    assert!(values.is_sorted_by(|before, after| before < after), "{values:?}");
    assert!(places.iter().all(|place| *place < answer), "{places:?} {answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_call_has_no_progress_after_its_answer_either() {
    let bench = Setup::new("login", Flavor::StandIn).start().await;
    bench.phone().fault(Fault::forever("dump", simphone::FaultKind::NullRoot));
    let call = bench.client.begin("wait_for_ui", json!({ "selector": { "text": "a" }, "timeout_ms": 600 })).await;
    let id = call.id;
    call.answer().await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let (values, places, answer) = progress(&bench.client.messages(), id);
    assert!(values.is_sorted_by(|before, after| before < after), "{values:?}");
    assert!(places.iter().all(|place| *place < answer), "{places:?} {answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_gives_no_token_gets_no_progress() {
    let bench = Setup::new("login", Flavor::StandIn).start().await;
    let arguments =
        json!({ "platform": "android", "steps": [{ "id": "a", "type": "wait", "selector": { "text": "Sign in" } }] });
    bench.client.rpc("tools/call", json!({ "name": "run_journey", "arguments": arguments })).await.unwrap();
    assert!(bench.client.messages().iter().all(|message| message["method"] != "notifications/progress"));
}
