//! The one read that two may share: a light tap's evidence from the assertion that follows it at once.

use serde_json::{Value, json};
use simphone::{Fault, FaultKind};

use crate::support::{Answer, Bench, on_each_adb};

fn tap(verification: &str) -> Value {
    json!({ "id": "tap", "type": "tap", "selector": { "text": "Increment" }, "verificationMode": verification })
}

fn visible(text: &str) -> Value {
    json!({ "id": "visible", "type": "assert", "timeoutMs": 1000, "assertion": { "kind": "element_visible", "selector": { "text": text } } })
}

async fn run(bench: &Bench, steps: Value) -> Answer {
    bench.call("run_journey", bench.aimed(json!({ "steps": steps }))).await.fine()
}

on_each_adb! {
    async fn a_light_tap_takes_its_evidence_from_the_assertions_first_read(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let mark = bench.mark();
        let answer = run(&bench, json!([tap("light"), visible("Count: 1")])).await;
        assert_eq!(answer["success"], true, "{:#}", answer.structured);
        assert_eq!(mark.dumps().len(), 3, "one resolves, two assert; none of the tap's own");
        let result = &answer["/steps/0/result"];
        assert_eq!(result["verification"], json!({ "mode": "light", "status": "observed" }), "{result:#}");
        assert_eq!(result["state_delta"]["changed"].as_array().map(Vec::len), Some(1), "{result:#}");
        assert!(result["state_delta"]["changed"].to_string().contains("Count: 1"), "{result:#}");
    }

    async fn it_does_so_when_the_assertion_fails_as_well(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let answer = run(&bench, json!([tap("light"), visible("Count: 99")])).await;
        assert_eq!(answer["success"], false);
        assert_eq!(answer["/steps/0/result/verification/status"], "observed", "{:#}", answer.structured);
    }

    async fn it_is_unavailable_when_the_assertion_read_nothing(flavor) {
        let bench = Bench::new("counter", flavor).await;
        bench.phone().fault(Fault { skip: 1, ..Fault::forever("dump", FaultKind::NullRoot) });
        let answer = run(&bench, json!([tap("light"), visible("Count: 1")])).await;
        assert_eq!(answer["/steps/0/status"], "passed", "{:#}", answer.structured);
        assert_eq!(answer["/steps/0/result/verification/status"], "unavailable", "{:#}", answer.structured);
        assert_eq!(answer["/steps/1/status"], "failed");
    }

    async fn others_read_for_themselves(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let absent = json!({ "id": "absent", "type": "assert", "assertion": { "kind": "element_absent", "selector": { "text": "Nothing" } } });
        for (what, steps, reads) in [
            ("a light tap before another kind of step", json!([tap("light"), absent]), 4),
            ("a light tap at the end", json!([tap("light")]), 2),
            ("no verification asked for", json!([tap("none"), visible("Increment")]), 3),
            ("full verification", json!([tap("full"), visible("Increment")]), 5),
            (
                "two light taps in a row, the second shares",
                json!([tap("light"), { "id": "again", "type": "tap", "selector": { "text": "Increment" }, "verificationMode": "light" }, visible("Increment")]),
                5,
            ),
        ] {
            let mark = bench.mark();
            let answer = run(&bench, steps).await;
            assert_eq!(answer["success"], true, "{what}: {:#}", answer.structured);
            assert_eq!(mark.dumps().len(), reads, "{what}: {:#}", answer.structured);
        }
    }

    async fn an_undispatched_guarded_tap_stays_not_requested(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let tree = bench.call("get_ui_tree", json!({ "responseMode": "compact" })).await.fine();
        bench.phone().set_text("value", "Changed");
        let mut guarded = tap("light");
        guarded["expectedState"] =
            json!({ "snapshotSessionId": tree["snapshot_session_id"], "snapshotRevision": tree["snapshot_revision"] });
        let mark = bench.mark();
        let answer = run(&bench, json!([guarded, visible("Increment")])).await;
        assert_eq!(answer["/steps/0/result/verification/status"], "not_requested", "{:#}", answer.structured);
        assert_eq!(answer["/steps/1/status"], "not_run");
        mark.no_input("blocked");
    }
}
