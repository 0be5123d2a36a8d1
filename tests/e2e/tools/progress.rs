//! Progress while it lasts, silence afterwards; cancelling stops the work on the device.

use std::time::Duration;

use serde_json::{Value, json};
use simphone::Profile;

use crate::support::{Bench, Client, Setup, on_each_adb, wait_until};

/// Progress rises, and none comes after the answer.
fn assert_progress(client: &Client, id: i64, case: &str) {
    let messages = client.messages();
    let answered =
        messages.iter().position(|message| message["id"] == id && message.get("result").is_some()).expect("an answer");
    let ours =
        |message: &Value| message["method"] == "notifications/progress" && message["params"]["progressToken"] == id;
    assert!(!messages[answered..].iter().any(ours), "{case}: progress after the answer");
    let values: Vec<f64> = messages[..answered]
        .iter()
        .filter(|message| ours(message))
        .map(|message| message["params"]["progress"].as_f64().unwrap())
        .collect();
    assert!(!values.is_empty(), "{case}: no progress at all");
    assert!(values.is_sorted_by(|a, b| a < b), "{case}: must rise: {values:?}");
}

fn journey() -> Value {
    json!({
        "platform": "android",
        "defaults": { "verificationMode": "none" },
        "steps": [
            { "id": "first", "type": "tap", "selector": { "text": "Increment" } },
            { "id": "second", "type": "wait", "selector": { "text": "Count: 1" } },
            { "id": "third", "type": "assert", "assertion": { "kind": "element_visible", "selector": { "text": "Count: 1" } } },
        ],
    })
}

on_each_adb! {
    async fn a_journey_tells_its_steps_and_nothing_after_its_answer(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let call = bench.client.begin("run_journey", journey()).await;
        let id = call.id;
        let answer = call.answer().await.succeeded();
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_progress(&bench.client, id, "journey");
        let messages: Vec<_> = answer.progress.iter().map(|progress| progress["message"].as_str().unwrap()).collect();
        for step in ["first", "second", "third"] {
            assert!(messages.iter().any(|message| message.contains(step)), "{step} in {messages:?}");
        }
        let steps =
            answer.progress.iter().filter(|progress| progress["message"].as_str().unwrap().starts_with("step "));
        assert!(
            steps.clone().count() >= 3 && steps.clone().all(|progress| progress["total"] == 3.0),
            "{:#?}",
            answer.progress
        );
        assert_eq!(answer.progress.last().unwrap()["progress"], 3.0);
    }

    async fn waits_tell_that_they_wait(flavor) {
        let bench = Bench::new("settings", flavor).await;
        for (tool, arguments) in [
            (
                "wait_for_ui",
                json!({ "selector": { "text": "No such row" }, "timeout_ms": 200, "retry": { "max_attempts": 3 } }),
            ),
            ("wait_for_readiness", json!({})),
        ] {
            let call = bench.client.begin(tool, arguments).await;
            let id = call.id;
            call.answer().await.fine();
            tokio::time::sleep(Duration::from_millis(100)).await;
            assert_progress(&bench.client, id, tool);
        }
    }

    async fn cancelling_ends_the_reads_and_gets_no_answer(flavor) {
        let bench = Bench::new("settings", flavor).await;
        for (tool, arguments) in [
            ("wait_for_ui", json!({ "selector": { "text": "No such row" }, "poll_interval_ms": 50 })),
            (
                "expect_element_visible",
                json!({ "selector": { "text": "No such row" }, "poll_interval_ms": 50, "timeout_ms": 60_000 }),
            ),
            ("wait_for_readiness", json!({ "state": "loading", "timeoutMs": 60_000, "stabilityMs": 100 })),
            (
                "run_journey",
                json!({ "platform": "android", "steps": [
                    { "id": "wait", "type": "wait", "selector": { "text": "No such row" }, "pollIntervalMs": 50 },
                    { "id": "tap", "type": "tap", "selector": { "text": "Airplane mode" } },
                ] }),
            ),
        ] {
            let mark = bench.mark();
            let mut call = bench.client.begin(tool, arguments).await;
            wait_until("two reads", || mark.dumps().len() >= 2).await;
            call.cancel().await;
            tokio::time::sleep(Duration::from_millis(400)).await;
            let then = mark.commands().len();
            tokio::time::sleep(Duration::from_millis(500)).await;
            assert_eq!(mark.commands().len(), then, "{tool}: {:#?}", mark.commands().split_off(then));
            assert!(!call.answered(), "{tool}: nothing more is sent for a cancelled request");
            mark.no_input(tool);
            // The next one is served.
            bench.call("get_ui_tree", json!({ "responseMode": "compact" })).await.fine();
        }
    }

    async fn cancelling_during_a_guards_read_sends_nothing_ever(flavor) {
        let slow = Profile { dump_ms: (700, 700), ..Profile::INSTANT };
        let bench = Setup::new("login", flavor).phone(|phone| phone.profile = slow).start().await;
        let tree = bench.call("get_ui_tree", json!({ "responseMode": "compact" })).await.fine();
        let state =
            json!({ "snapshotSessionId": tree["snapshot_session_id"], "snapshotRevision": tree["snapshot_revision"] });
        let mark = bench.mark();
        let mut call =
            bench.client.begin("tap", bench.aimed(json!({ "x": 540, "y": 1170, "expectedState": state }))).await;
        wait_until("the guard's read", || !mark.dumps().is_empty()).await;
        call.cancel().await;
        mark.no_input_later(Duration::from_millis(1_500), "cancelled").await;
        assert!(!call.answered());
    }

    async fn cancelling_in_the_queue_leaves_it(flavor) {
        let slow = Profile { dump_ms: (500, 500), ..Profile::INSTANT };
        let bench = Setup::new("login", flavor).phone(|phone| phone.profile = slow).start().await;
        let mark = bench.mark();
        let first = bench.client.begin("get_ui_tree", json!({ "responseMode": "compact" })).await;
        wait_until("the first read", || !mark.dumps().is_empty()).await;
        let mut second = bench.client.begin("tap", json!({ "x": 540, "y": 1170, "verificationMode": "none" })).await;
        second.cancel().await;
        first.answer().await.fine();
        mark.no_input_later(Duration::from_millis(600), "cancelled in the queue").await;
        assert!(!second.answered());
    }

    async fn a_client_that_goes_takes_its_work_with_it(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let mark = bench.mark();
        let _call = bench
            .client
            .begin("wait_for_ui", json!({ "selector": { "text": "No such row" }, "poll_interval_ms": 50 }))
            .await;
        wait_until("two reads", || mark.dumps().len() >= 2).await;
        let (took, status) = bench.client.close().await;
        assert!(status.success() && took < Duration::from_secs(10), "{status:?} after {took:?}");
        let phone = bench.phone().journal();
        wait_until("the phone hears of it", || phone.services().iter().all(|service| service.end_ms.is_some())).await;
        let then = mark.commands().len();
        tokio::time::sleep(Duration::from_millis(400)).await;
        assert_eq!(mark.commands().len(), then);
    }

    async fn an_idle_server_ends_at_once_when_its_client_goes(flavor) {
        let bench = Bench::new("settings", flavor).await;
        bench.call("get_ui_tree", json!({ "responseMode": "compact" })).await.fine();
        let (took, status) = bench.client.close().await;
        assert!(status.success() && took < Duration::from_secs(2), "{status:?} after {took:?}");
    }
}
