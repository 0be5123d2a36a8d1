//! `notifications/cancelled`: no answer, and the work stops.

use std::time::Duration;

use serde_json::{Value, json};

use super::{a_read_runs, descendants, hang_reads, lives};
use crate::support::{Bench, Flavor, Setup, wait_until};

/// Cancels a call under way and shows that it stays unanswered.
async fn cancelled(bench: &Bench, tool: &str, arguments: Value) {
    let mut call = bench.client.begin(tool, arguments).await;
    a_read_runs(bench).await;
    let running: Vec<u32> = descendants(bench.client.pid().await).into_iter().map(|(pid, _)| pid).collect();
    assert!(!running.is_empty(), "{tool}: adb runs");
    call.cancel().await;
    wait_until("its adb is gone", || !running.iter().any(|pid| lives(*pid))).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(!call.answered(), "{tool} was answered");
    let id = call.id;
    let about = |message: &Value| message["id"] == id || message["params"]["progressToken"] == id;
    let after =
        bench.client.messages().into_iter().filter(about).filter(|message| message.get("method").is_none()).count();
    assert_eq!(after, 0, "{tool}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_read_is_not_answered_and_its_child_ends() {
    for (tool, arguments) in [
        ("get_ui_tree", json!({})),
        ("wait_for_ui", json!({ "selector": { "text": "never" } })),
        ("wait_for_readiness", json!({})),
        ("tap_element", json!({ "selector": { "text": "Sign in" } })),
        (
            "run_journey",
            json!({ "platform": "android", "steps": [{ "id": "a", "type": "wait", "selector": { "text": "never" } }] }),
        ),
    ] {
        let bench = Bench::new("login", Flavor::StandIn).await;
        hang_reads(&bench);
        let mark = bench.mark();
        cancelled(&bench, tool, arguments).await;
        mark.no_input(tool);
        // The lane may wait for what is left on the device; the server itself is there at once.
        bench.phone().clear_faults();
        bench.call("list_plugins", json!({})).await.fine();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_journey_starts_no_further_step() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    let steps = json!([
        { "id": "wait", "type": "wait", "selector": { "text": "never" }, "timeoutMs": 60_000 },
        { "id": "tap", "type": "tap", "selector": { "text": "Sign in" } },
    ]);
    let mark = bench.mark();
    let mut call = bench.client.begin("run_journey", json!({ "platform": "android", "steps": steps })).await;
    wait_until("it reads", || mark.good_dumps() >= 2).await;
    call.cancel().await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let dumps = mark.dumps().len();
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert!(mark.dumps().len() <= dumps, "it went on reading");
    assert!(!call.answered());
    mark.no_input("after cancelling");
    bench.call("tap_element", json!({ "selector": { "text": "Sign in" } })).await.succeeded();
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_in_the_queue_does_nothing_at_all() {
    let setup = Setup::new("login", Flavor::StandIn).phone(|phone| phone.profile.dump_ms = (1_500, 1_500));
    let bench = setup.start().await;
    let mut reading = bench.client.begin("get_ui_tree", json!({})).await;
    a_read_runs(&bench).await;
    let mark = bench.mark();
    let mut waiting = bench
        .client
        .begin("tap", json!({ "x": 540, "y": 1170, "verificationMode": "none", "actionTimeoutMs": 30_000 }))
        .await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    waiting.cancel().await;
    reading.cancel().await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!waiting.answered() && !reading.answered());
    bench.call("get_ui_tree", json!({})).await.fine();
    mark.no_input("cancelled while it waited");
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_what_is_over_or_never_was_is_nothing() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    bench.call("list_devices", json!({})).await.fine();
    for id in [json!(1), json!(99_999), json!("a"), json!(null)] {
        bench.client.notify("notifications/cancelled", json!({ "requestId": id })).await;
    }
    bench.call("get_ui_tree", json!({})).await.fine();
    bench.client.check_stdout();
}
