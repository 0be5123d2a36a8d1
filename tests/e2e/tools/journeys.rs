//! run_journey: steps in order, to the first failure, with the evidence of each.

use serde_json::{Value, json};
use simphone::{Fault, FaultKind};

use crate::support::{Answer, Bench, on_each_adb};

async fn run(bench: &Bench, steps: Value) -> Answer {
    run_with(bench, json!({}), steps).await
}

async fn run_with(bench: &Bench, besides: Value, steps: Value) -> Answer {
    let mut arguments = bench.aimed(besides);
    arguments["steps"] = steps;
    bench.call("run_journey", arguments).await.fine()
}

fn statuses(answer: &Answer) -> Vec<&str> {
    answer["steps"].as_array().unwrap().iter().map(|step| step["status"].as_str().unwrap()).collect()
}

on_each_adb! {
    async fn a_login_is_one_call(flavor) {
        let bench = Bench::new("login", flavor).await;
        let answer = run_with(&bench, json!({ "defaults": { "verificationMode": "none" } }), json!([
            { "id": "start", "type": "start_app", "appId": "com.example.login" },
            { "id": "name", "type": "tap", "selector": { "resource_id": "username" } },
            { "id": "type", "type": "type_text", "text": "ada" },
            { "id": "hide", "type": "press_back" },
            { "id": "go", "type": "tap", "selector": { "resource_id": "sign_in" } },
            { "id": "there", "type": "wait", "selector": { "text": "Welcome, ada" } },
            { "id": "ready", "type": "wait_for_readiness" },
            { "id": "scroll", "type": "swipe", "x1": 540, "y1": 1800, "x2": 540, "y2": 900, "duration": 100 },
            { "id": "proof", "type": "assert", "assertion": { "kind": "element_visible", "selector": { "text": "Log out" } } },
        ])).await;
        assert_eq!(statuses(&answer), ["passed"; 9], "{:#}", answer.structured);
        assert_eq!((&answer["success"], &answer["stopped_at_step_id"]), (&json!(true), &Value::Null));
        assert_eq!(bench.phone().screen_name(), "welcome");
        for step in answer["steps"].as_array().unwrap() {
            assert_eq!(
                (&step["success"], step["result"].is_object(), step["timing"]["total_ms"].is_number()),
                (&json!(true), true, true),
                "{step:#}"
            );
        }
    }

    async fn a_list_is_scrolled_a_key_pressed_and_the_app_ended_in_steps(flavor) {
        let bench = Bench::new("login", flavor).await;
        bench.phone().goto("welcome");
        let mark = bench.mark();
        let answer = run_with(&bench, json!({ "defaults": { "verificationMode": "none" } }), json!([
            { "id": "find", "type": "scroll_to_element", "selector": { "text": "Item 20" } },
            { "id": "home", "type": "press_key", "key": "home" },
            { "id": "end", "type": "terminate_app", "appId": "com.example.login" },
        ])).await;
        assert_eq!(statuses(&answer), ["passed"; 3], "{:#}", answer.structured);
        assert_eq!(answer["/steps/2/result/appTerminated"], true, "{:#}", answer.structured);
        let inputs = mark.inputs();
        assert!(inputs.iter().filter(|input| input.kind == "swipe").count() >= 2, "{inputs:#?}");
        let missing = run(&bench, json!([{ "id": "end", "type": "terminate_app", "appId": "not.installed" }])).await;
        assert_eq!(missing["success"], false, "{:#}", missing.structured);
        assert!(!missing["/steps/0/result/failure_code"].is_null(), "{:#}", missing.structured);
    }

    async fn the_first_failure_ends_it(flavor) {
        let bench = Bench::new("counter", flavor).await;
        for mode in ["compact", "debug"] {
            let mark = bench.mark();
            let answer = run_with(&bench, json!({ "responseMode": mode, "defaults": { "verificationMode": "none" } }), json!([
                { "id": "tap", "type": "tap", "selector": { "text": "Increment" } },
                { "id": "gone", "type": "tap", "selector": { "text": "No such button" } },
                { "id": "never", "type": "tap", "selector": { "text": "Increment" } },
                { "id": "nor this", "type": "assert", "assertion": { "kind": "element_visible", "selector": { "text": "Increment" } } },
            ])).await;
            assert_eq!(statuses(&answer), ["passed", "failed", "not_run", "not_run"], "{:#}", answer.structured);
            assert_eq!((&answer["success"], &answer["stopped_at_step_id"]), (&json!(false), &json!("gone")));
            assert_eq!(answer["/steps/1/result/failure_code"], "ELEMENT_NOT_FOUND", "{:#}", answer["/steps/1"]);
            for (number, id, kind) in [(2, "never", "tap"), (3, "nor this", "assert")] {
                assert_eq!(
                    answer["steps"][number],
                    json!({ "id": id, "type": kind, "status": "not_run", "success": false, "reason": "PREVIOUS_STEP_FAILED", "result": null, "timing": { "total_ms": 0 } })
                );
            }
            mark.one_input("tap", mode);
        }
    }

    async fn each_assertion_holds_or_tells_what_was_there(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let fingerprint = bench.call("get_screen_fingerprint", json!({})).await.fine()["fingerprint"].clone();
        let wifi = json!({ "resource_id": "wifi" });
        let held = [
            json!({ "kind": "element_visible", "selector": { "text": "Wi-Fi" } }),
            json!({ "kind": "element_absent", "selector": { "text": "No such row" } }),
            json!({ "kind": "screen_fingerprint", "fingerprint": fingerprint }),
            json!({ "kind": "state_equals", "selector": wifi, "property": "checked", "expected": true }),
        ];
        for assertion in held {
            let mark = bench.mark();
            let answer = run(&bench, json!([{ "id": "a", "type": "assert", "assertion": assertion }])).await;
            assert_eq!(statuses(&answer), ["passed"], "{assertion}: {:#}", answer.structured);
            let dumps = mark.dumps();
            assert_eq!(dumps.len(), 2, "{assertion}: two reads decide");
            let gap = dumps[1].start_ms - dumps[0].end_ms.unwrap();
            let apart = assertion["kind"] == "element_absent" || assertion["kind"] == "screen_fingerprint";
            assert!(gap >= 95.0 || !apart, "{assertion}: {gap} ms between them");
        }
        let failed = [
            (json!({ "kind": "element_visible", "selector": { "text": "No such row" } }), "matchedCount", json!(0)),
            (json!({ "kind": "element_absent", "selector": { "text": "Wi-Fi" } }), "matchedCount", json!(1)),
            (json!({ "kind": "screen_fingerprint", "fingerprint": "another" }), "observed", fingerprint.clone()),
            (
                json!({ "kind": "state_equals", "selector": wifi, "property": "checked", "expected": false }),
                "observed",
                json!(true),
            ),
        ];
        for (assertion, member, value) in failed {
            let answer =
                run(&bench, json!([{ "id": "a", "type": "assert", "timeoutMs": 1000, "assertion": assertion }])).await;
            assert_eq!(statuses(&answer), ["failed"], "{assertion}");
            assert_eq!(
                answer["/steps/0/result/failure_code"], "ASSERTION_TIMEOUT",
                "{assertion}: {:#}",
                answer.structured
            );
            let result = &answer["/steps/0/result"];
            // A built-in step shows the host's own record; the last value or count is in it under either name.
            let shown = result.get(member).unwrap_or(&Value::Null);
            assert!(
                *shown == value
                    || result.to_string().contains(&format!("matched_count\":{value}"))
                    || result.to_string().contains(&value.to_string()),
                "{assertion}: {result:#}"
            );
        }
    }

    async fn a_guarded_tap_that_is_blocked_ends_it_with_its_evidence(flavor) {
        let bench = Bench::new("counter", flavor).await;
        for mode in ["compact", "debug"] {
            let tree = bench.call("get_ui_tree", json!({ "responseMode": "compact" })).await.fine();
            let state = json!({ "snapshotSessionId": tree["snapshot_session_id"], "snapshotRevision": tree["snapshot_revision"] });
            let mark = bench.mark();
            let answer = run_with(&bench, json!({ "responseMode": mode, "defaults": { "verificationMode": "none" } }), json!([
                { "id": "still so", "type": "tap", "selector": { "text": "Increment" }, "expectedState": state },
                { "id": "not any more", "type": "tap", "selector": { "text": "Increment" }, "expectedState": state },
                { "id": "never", "type": "press_back" },
            ])).await;
            assert_eq!(statuses(&answer), ["passed", "failed", "not_run"], "{:#}", answer.structured);
            assert_eq!(answer["/steps/0/result/condition/status"], "matched");
            let blocked = &answer["/steps/1/result"];
            assert_eq!(
                (&blocked["failure_code"], &blocked["condition"]["status"]),
                (&json!("PRECONDITION_FAILED"), &json!("mismatch")),
                "{blocked:#}"
            );
            assert!(
                blocked["condition"]["observed"]["elements"].as_array().is_some_and(|elements| elements.len() >= 3),
                "{mode}: {blocked:#}"
            );
            assert_eq!(
                (&blocked["dispatch_started"], &blocked["verification"]["status"]),
                (&json!(false), &json!("not_requested"))
            );
            mark.one_input("tap", mode);
        }
    }

    async fn every_input_step_takes_a_guard(flavor) {
        let bench = Bench::new("counter", flavor).await;
        for step in [
            json!({ "type": "tap", "selector": { "text": "Increment" } }),
            json!({ "type": "swipe", "x1": 540, "y1": 2000, "x2": 540, "y2": 1500, "duration": 50 }),
            json!({ "type": "type_text", "text": "abc" }),
            json!({ "type": "press_back" }),
        ] {
            bench.phone().goto("counter");
            bench.phone().set_text("counter.volume_value", "Before");
            let tree = bench.call("get_ui_tree", json!({ "responseMode": "compact" })).await.fine();
            let state = json!({ "snapshotSessionId": tree["snapshot_session_id"], "snapshotRevision": tree["snapshot_revision"] });
            let mut guarded = step.clone();
            guarded["id"] = json!("guarded");
            guarded["verificationMode"] = json!("none");
            guarded["expectedState"] = state;
            bench.phone().set_text("counter.volume_value", "After");
            let mark = bench.mark();
            let blocked = run(&bench, json!([guarded])).await;
            mark.no_input(&step.to_string());
            assert_eq!(
                blocked["/steps/0/result/failure_code"], "PRECONDITION_FAILED",
                "{step}: {:#}",
                blocked.structured
            );
            let revision = &blocked["/steps/0/result/condition/observed/snapshot_revision"];
            guarded["expectedState"]["snapshotRevision"] = revision.clone();
            let sent = run(&bench, json!([guarded])).await;
            assert_eq!(
                sent["success"], true,
                "{step}: decided again on the screen that blocked it: {:#}",
                sent.structured
            );
            assert_eq!(mark.inputs().len(), 1, "{step}");
        }
    }

    async fn the_failing_steps_tree_is_kept_when_asked_for_in_debug(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let steps = json!([{ "id": "gone", "type": "tap", "selector": { "text": "No such button" } }]);
        for (mode, ask, kept) in [("debug", true, true), ("debug", false, false), ("compact", true, false)] {
            let answer =
                run_with(&bench, json!({ "responseMode": mode, "captureOnFailure": ask }), steps.clone()).await;
            let snapshot = &answer["/steps/0/result/failure_snapshot"];
            assert_eq!(snapshot["elements"].is_array(), kept, "{mode} {ask}: {:#}", answer.structured);
            assert!(!answer.structured.to_string().contains("screenshot"), "screenshot-free");
        }
    }

    async fn a_light_tap_whose_screen_cannot_be_read_afterwards_passes(flavor) {
        let bench = Bench::new("counter", flavor).await;
        bench.phone().fault(Fault { skip: 1, ..Fault::forever("dump", FaultKind::NullRoot) });
        let steps = json!([{ "id": "tap", "type": "tap", "selector": { "text": "Increment" }, "verificationMode": "light", "verificationTimeoutMs": 300 }]);
        let answer = run(&bench, steps).await;
        assert_eq!(statuses(&answer), ["passed"], "{:#}", answer.structured);
        assert_eq!(answer["/steps/0/result/verification/status"], "unavailable");
        assert_eq!(answer["/steps/0/result/verification_diagnostic/code"], "VERIFICATION_UNAVAILABLE");
    }

    async fn a_journey_is_compact_unless_asked(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let steps =
            json!([{ "id": "tap", "type": "tap", "selector": { "text": "Increment" }, "verificationMode": "none" }]);
        let compact = run(&bench, steps.clone()).await;
        assert!(
            compact["/steps/0/result"].get("trace").is_none()
                && !compact.structured.to_string().contains(&bench.device),
            "{:#}",
            compact.structured
        );
        let debug = run_with(&bench, json!({ "responseMode": "debug" }), steps).await;
        assert!(debug["/steps/0/result/trace/steps"].is_array(), "{:#}", debug.structured);
    }

    async fn a_step_by_element_id_works_within_it(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let id = bench.call("wait_for_ui", json!({ "selector": { "text": "Increment" } })).await.succeeded()["/element/elementId"].clone();
        let answer =
            run(&bench, json!([{ "id": "tap", "type": "tap", "elementId": id, "verificationMode": "none" }])).await;
        assert_eq!(statuses(&answer), ["passed"], "{:#}", answer.structured);
        assert_eq!(bench.phone().text_of("value").as_deref(), Some("Count: 1"));
    }
}
