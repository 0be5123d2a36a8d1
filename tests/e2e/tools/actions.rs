//! The one envelope: verification modes, delivery, timing, and what each costs in reads.

use serde_json::{Value, json};
use simphone::{Fault, FaultKind};

use crate::support::{Answer, Bench, Setup, on_each_adb};

/// Input tools on the counter scene, and the reads that resolve their target.
const TOOLS: [(&str, &str, usize); 5] = [
    ("tap", r#"{"x": 540, "y": 570}"#, 0),
    ("tap_element", r#"{"selector": {"text": "Increment"}}"#, 1),
    ("swipe", r#"{"x1": 540, "y1": 2000, "x2": 540, "y2": 1500, "duration": 50}"#, 0),
    ("type_text", r#"{"text": "abc"}"#, 0),
    ("press_back", "{}", 0),
];

fn call(bench: &Bench, arguments: &str, verification: &str, response: &str) -> Value {
    let mut arguments = bench.aimed(serde_json::from_str(arguments).unwrap());
    arguments["verificationMode"] = json!(verification);
    arguments["responseMode"] = json!(response);
    arguments
}

on_each_adb! {
    async fn each_mode_reads_what_it_says_and_no_more(flavor) {
        let bench = Bench::new("counter", flavor).await;
        for (tool, arguments, resolving) in TOOLS {
            for response in ["compact", "debug"] {
                // Full resolves, checks staleness and gives the fingerprint before in one read, then two that agree.
                for (verification, reads, status) in
                    [("none", resolving, "not_requested"), ("light", resolving + 1, "observed"), ("full", 3, "")]
                {
                    bench.phone().goto("counter");
                    let mark = bench.mark();
                    let answer = bench.call(tool, call(&bench, arguments, verification, response)).await.succeeded();
                    let case = format!("{tool} {verification}/{response}: {:#}", answer.structured);
                    assert_eq!(mark.dumps().len(), reads, "{case}");
                    assert_eq!(answer["/verification/mode"], verification, "{case}");
                    if !status.is_empty() {
                        assert_eq!(answer["/verification/status"], status, "{case}");
                        assert_eq!(answer["lifecycle_state"], "pending_verification", "{case}");
                    }
                    assert_eq!(
                        (&answer["delivery_status"], &answer["dispatch_started"]),
                        (&json!("delivered"), &json!(true)),
                        "{case}"
                    );
                    assert!(answer["/timing/total_ms"].is_number(), "{case}");
                    let inputs = mark.inputs();
                    assert_eq!(inputs.len(), 1, "{case}");
                    let after = mark.dumps().iter().filter(|dump| dump.start_ms > inputs[0].start_ms).count();
                    let wanted = ["none", "light", "full"].iter().position(|mode| *mode == verification).unwrap();
                    assert_eq!(after, wanted, "reads begun after the input: {case}");
                }
            }
        }
    }

    async fn full_verifies_a_change_and_only_observes_none(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let changed = bench.call("tap_element", json!({ "selector": { "text": "Increment" } })).await.succeeded();
        assert_eq!(
            (&changed["/verification/status"], &changed["lifecycle_state"]),
            (&json!("verified"), &json!("verified"))
        );
        assert_ne!(changed["ui_fingerprint_before"], changed["ui_fingerprint_after"]);
        let same = bench.call("tap", json!({ "x": 540, "y": 2200 })).await.succeeded();
        assert_eq!(
            (&same["/verification/status"], &same["lifecycle_state"]),
            (&json!("observed"), &json!("pending_verification"))
        );
        assert_eq!(same["ui_fingerprint_before"], same["ui_fingerprint_after"]);
    }

    async fn fulls_two_agreeing_reads_are_a_tenth_of_a_second_apart(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let mark = bench.mark();
        bench.call("tap", json!({ "x": 540, "y": 570 })).await.succeeded();
        let dumps = mark.dumps();
        let gap = dumps[2].start_ms - dumps[1].end_ms.unwrap();
        assert!(gap >= 95.0, "{gap} ms: {dumps:#?}");
    }

    async fn light_shows_what_changed(flavor) {
        let bench = Bench::new("counter", flavor).await;
        for response in ["compact", "debug"] {
            let arguments =
                json!({ "selector": { "text": "Increment" }, "verificationMode": "light", "responseMode": response });
            let answer = bench.call("tap_element", arguments).await.succeeded();
            let delta = &answer["state_delta"];
            assert_eq!(delta["changed"].as_array().unwrap().len(), 1, "{delta:#}");
            assert!(delta["changed"].to_string().contains("Count: "), "{delta:#}");
            assert_eq!(
                (&delta["added"], &delta["removed"], &delta["truncated"]),
                (&json!([]), &json!([]), &json!(false)),
                "{delta:#}"
            );
            assert!(delta["base_snapshot_revision"].as_u64() < delta["snapshot_revision"].as_u64(), "{delta:#}");
        }
    }

    async fn light_without_a_base_says_so(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let answer = bench.call("tap", json!({ "x": 540, "y": 570, "verificationMode": "light" })).await.succeeded();
        assert_eq!(answer["state_delta_available"], false, "{:#}", answer.structured);
        assert!(!answer.has("state_delta"));
    }

    async fn an_unreadable_screen_afterwards_leaves_the_action_a_success(flavor) {
        let bench = Bench::new("counter", flavor).await;
        for (verification, before) in [("light", 0), ("full", 1)] {
            bench.phone().fault(Fault { skip: before, ..Fault::forever("dump", FaultKind::NullRoot) });
            let mut arguments = call(&bench, r#"{"x": 540, "y": 570}"#, verification, "compact");
            arguments["verificationTimeoutMs"] = json!(1_000);
            let mark = bench.mark();
            let answer = bench.call("tap", arguments).await.succeeded();
            bench.phone().clear_faults();
            let case = format!("{verification}: {:#}", answer.structured);
            mark.one_input("tap", &case);
            assert_eq!(answer["/verification/status"], "unavailable", "{case}");
            assert_eq!(answer["/verification_diagnostic/code"], "VERIFICATION_UNAVAILABLE", "{case}");
            assert_eq!(answer["/verification_diagnostic/retryable"], true, "{case}");
            assert_eq!(answer["lifecycle_state"], "pending_verification", "{case}");
        }
    }

    async fn light_tries_again_until_the_first_read_that_succeeds(flavor) {
        let bench = Bench::new("counter", flavor).await;
        bench.phone().fault(Fault::times("dump", 2, FaultKind::NullRoot));
        let mark = bench.mark();
        let answer = bench.call("tap", json!({ "x": 540, "y": 570, "verificationMode": "light" })).await.succeeded();
        assert_eq!(answer["/verification/status"], "observed");
        assert_eq!((mark.dumps().len(), mark.good_dumps()), (3, 1));
    }

    async fn debug_tells_everything_and_compact_a_decision(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let arguments = r#"{"selector": {"text": "Increment"}}"#;
        let debug = bench.call("tap_element", call(&bench, arguments, "full", "debug")).await.succeeded();
        for member in [
            "action_id",
            "timestamp",
            "action_type",
            "lifecycle_state",
            "source_module",
            "device",
            "target",
            "success",
            "delivery_status",
            "dispatch_started",
            "verification",
            "trace",
            "ui_fingerprint_before",
            "ui_fingerprint_after",
            "effective_controls",
            "timing",
            "details",
        ] {
            assert!(debug.has(member), "{member} in {:#}", debug.structured);
        }
        assert_eq!(debug["/device/id"], bench.device);
        assert_eq!(debug["/target/resolved/text"], "Increment");
        let stages: Vec<_> =
            debug["/trace/steps"].as_array().unwrap().iter().map(|step| step["stage"].as_str().unwrap()).collect();
        assert_eq!(stages, ["resolve", "execute", "verify"]);
        for time in
            ["total_ms", "device_resolution_ms", "pre_observation_ms", "dispatch_ms", "verification_ms", "queue_ms"]
        {
            assert!(debug["timing"][time].is_number(), "{time} in {:#}", debug["timing"]);
        }
        let compact = bench.call("tap_element", call(&bench, arguments, "full", "compact")).await.succeeded();
        assert_eq!(
            compact.members(),
            [
                "action_id",
                "action_type",
                "delivery_status",
                "dispatch_started",
                "lifecycle_state",
                "success",
                "timing",
                "verification"
            ]
        );
        assert!(!compact.structured.to_string().contains(&bench.device), "no device ids");
    }

    async fn a_timeout_after_dispatch_is_of_unknown_delivery_and_not_to_be_repeated(flavor) {
        let bench = Bench::new("counter", flavor).await;
        bench.phone().fault(Fault::once("input", FaultKind::Hang));
        let mark = bench.mark();
        let answer = bench
            .call("tap", json!({ "x": 540, "y": 570, "actionTimeoutMs": 1500, "verificationMode": "none" }))
            .await
            .fine();
        let shown = format!("{:#}", answer.structured);
        assert_eq!(answer["failure_code"], "ACTION_TIMEOUT", "{shown}");
        assert_eq!(
            (&answer["dispatch_started"], &answer["delivery_status"]),
            (&json!(true), &json!("unknown")),
            "{shown}"
        );
        assert_eq!((&answer["retryable"], &answer["lifecycle_state"]), (&json!(false), &json!("failed")), "{shown}");
        assert_eq!(mark.input_commands().len(), 1, "sent once: {shown}");
    }

    async fn a_timeout_before_dispatch_sends_nothing_and_may_be_repeated(flavor) {
        let slow = simphone::Profile { dump_ms: (800, 800), ..simphone::Profile::INSTANT };
        let bench = Setup::new("counter", flavor).phone(|phone| phone.profile = slow).start().await;
        let mark = bench.mark();
        let arguments =
            json!({ "selector": { "text": "Increment" }, "actionTimeoutMs": 300, "verificationMode": "none" });
        let answer = bench.call("tap_element", arguments).await.fine();
        let shown = format!("{:#}", answer.structured);
        assert_eq!(answer["failure_code"], "ACTION_TIMEOUT", "{shown}");
        assert_eq!(
            (&answer["dispatch_started"], &answer["delivery_status"]),
            (&json!(false), &json!("not_delivered")),
            "{shown}"
        );
        assert_eq!(answer["retryable"], true, "{shown}");
        mark.no_input_later(std::time::Duration::from_secs(1), &shown).await;
    }

    async fn defaults_and_clamps_are_the_contracts_for_every_action(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let scroll = r#"{"selector": {"text": "Increment"}}"#;
        let start = r#"{"appId": "com.example.counter"}"#;
        let others = [("scroll_to_element", scroll, 10_000), ("start_app", start, 10_000)];
        let all = TOOLS.iter().map(|(tool, arguments, _)| (*tool, *arguments, 5_000)).chain(others);
        for (tool, arguments, action) in all {
            for (verification, verify) in [("none", 3_000), ("light", 3_000), ("full", 10_000)] {
                bench.phone().goto("counter");
                let answer = bench.call(tool, call(&bench, arguments, verification, "debug")).await.fine();
                let held = &answer["effective_controls"];
                let case = format!("{tool} {verification}: {held}");
                assert_eq!((&held["actionTimeoutMs"], &held["verificationTimeoutMs"]), (&json!(action), &json!(verify)), "{case}");
            }
            for (given, action, verify) in [(-1_i64, 100, 100), (99_999_999_999_i64, 30_000, 60_000)] {
                let mut arguments = call(&bench, arguments, "none", "debug");
                arguments["actionTimeoutMs"] = json!(given);
                arguments["verificationTimeoutMs"] = json!(given);
                let answer = bench.call(tool, arguments).await.fine();
                let held = &answer["effective_controls"];
                assert_eq!((&held["actionTimeoutMs"], &held["verificationTimeoutMs"]), (&json!(action), &json!(verify)), "{tool}: {held}");
            }
        }
    }

    async fn timeouts_clamp_and_debug_says_what_held(flavor) {
        let bench = Bench::new("counter", flavor).await;
        for (given, action, verify) in [(1, 100, 100), (-7, 100, 100), (450, 450, 450), (99_999_999, 30_000, 60_000)] {
            let arguments = json!({ "x": 540, "y": 2200, "verificationMode": "none", "actionTimeoutMs": given, "verificationTimeoutMs": given });
            let answer: Answer = bench.call("tap", arguments).await.fine();
            assert_eq!(answer["/effective_controls/actionTimeoutMs"], action, "{given}");
            assert_eq!(answer["/effective_controls/verificationTimeoutMs"], verify, "{given}");
        }
    }
}
