//! Waits synchronise, expectations decide: on how many reads, how far apart, and what a deadline cut.

use std::time::Duration;

use serde_json::{Value, json};
use simphone::{Change, Mutation, Profile};

use crate::support::{Bench, Setup, on_each_adb};

on_each_adb! {
    async fn evidence_takes_two_reads_at_once_not_a_poll_interval_apart(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let calls = [
            ("wait_for_ui", json!({ "selector": { "text": "Wi-Fi" }, "poll_interval_ms": 2000 })),
            ("expect_element_visible", json!({ "selector": { "text": "Wi-Fi" }, "poll_interval_ms": 2000 })),
            (
                "expect_state",
                json!({ "selector": { "resource_id": "wifi" }, "property": "checked", "expected": true, "poll_interval_ms": 2000 }),
            ),
        ];
        for (tool, arguments) in calls {
            let mark = bench.mark();
            let answer = bench.call(tool, arguments).await.succeeded();
            let dumps = mark.dumps();
            assert_eq!(dumps.len(), 2, "{tool}: {:#}", answer.structured);
            let gap = dumps[1].start_ms - dumps[0].end_ms.unwrap();
            assert!(gap < 1_900.0, "{tool}: {gap} ms between them");
        }
    }

    async fn absence_takes_two_reads_a_tenth_of_a_second_apart(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let mark = bench.mark();
        let arguments =
            json!({ "selector": { "text": "No such row" }, "condition": "not_exists", "poll_interval_ms": 2000 });
        let answer = bench.call("wait_for_ui", arguments).await.succeeded();
        let dumps = mark.dumps();
        let gap = dumps[1].start_ms - dumps[0].end_ms.unwrap();
        assert_eq!(dumps.len(), 2);
        assert!((95.0..1_000.0).contains(&gap), "{gap}");
        assert_eq!((&answer["status"], &answer["matched"]), (&json!("success"), &json!(true)));
    }

    async fn a_wait_tells_what_it_found(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let answer = bench
            .call("wait_for_ui", json!({ "selector": { "text": "Option", "contains": true }, "match": { "index": 2 } }))
            .await
            .succeeded();
        assert_eq!((&answer["status"], &answer["matched"]), (&json!("success"), &json!(true)));
        assert_eq!(answer["/element/text"], "Option 3", "{:#}", answer["element"]);
        for member in ["elementId", "class", "bounds", "index"] {
            assert!(answer["element"].get(member).is_some(), "{member} in {:#}", answer["element"]);
        }
        assert_eq!((&answer["/metrics/poll_count"], &answer["/metrics/attempts"]), (&json!(2), &json!(1)));
        assert_eq!(answer["/observed/selected_index"], 2);
        assert_eq!(answer["/requested/condition"], "exists");
    }

    async fn what_comes_later_is_waited_for(flavor) {
        let bench = Bench::new("login", flavor).await;
        bench
            .call("tap_element", json!({ "selector": { "resource_id": "sign_in" }, "verificationMode": "none" }))
            .await
            .succeeded();
        let answer = bench
            .call(
                "wait_for_ui",
                json!({ "selector": { "text": "Welcome", "contains": true }, "poll_interval_ms": 100 }),
            )
            .await
            .succeeded();
        assert!(answer.elapsed < Duration::from_secs(8), "{:?}", answer.elapsed);
        assert_eq!(bench.phone().screen_name(), "welcome");
    }

    async fn one_glimpse_is_no_evidence(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let hide = |visible| Change::Visible("settings.wifi_summary".to_owned(), visible);
        bench.phone().on_dump(1, Mutation::after(hide(false)));
        bench.phone().on_dump(3, Mutation::before(hide(true)));
        let mark = bench.mark();
        bench
            .call("wait_for_ui", json!({ "selector": { "text": "Home network" }, "poll_interval_ms": 50 }))
            .await
            .succeeded();
        assert_eq!(mark.dumps().len(), 4, "seen, gone, seen, seen");
    }

    async fn a_wait_in_vain_is_no_error_and_says_what_was_seen(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let answer =
            bench.call("wait_for_ui", json!({ "selector": { "text": "No such row" }, "timeout_ms": 1000 })).await.fine();
        assert_eq!(
            (&answer["status"], &answer["matched"], &answer["success"]),
            (&json!("timeout"), &json!(false), &json!(false))
        );
        assert_eq!(answer["/error/code"], "TIMEOUT");
        assert_eq!(answer["/observed/matched_count"], 0);
        assert!((Duration::from_secs(1)..Duration::from_secs(10)).contains(&answer.elapsed), "{:?}", answer.elapsed);
    }

    async fn a_deadline_that_cut_the_evidence_says_how_far_it_got(flavor) {
        let slow = Profile { dump_ms: (600, 600), ..Profile::INSTANT };
        let bench = Setup::new("settings", flavor).phone(|phone| phone.profile = slow).start().await;
        let calls = [
            ("wait_for_ui", json!({ "selector": { "text": "Wi-Fi" } })),
            ("expect_element_visible", json!({ "selector": { "text": "Wi-Fi" } })),
            ("expect_state", json!({ "selector": { "resource_id": "wifi" }, "property": "checked", "expected": true })),
        ];
        for (tool, mut arguments) in calls {
            arguments["timeout_ms"] = json!(1_000);
            let answer = bench.call(tool, arguments).await.fine();
            assert_eq!(answer["success"], false, "{tool}");
            let message = answer["/error/message"].as_str().unwrap();
            assert!(message.contains("1 of 2") && message.contains("timeout_ms"), "{tool}: {message}");
            // The read that was cut off ends before the next tool's time begins.
            bench.call("get_ui_tree", json!({ "responseMode": "compact" })).await.fine();
        }
    }

    async fn retries_are_counted(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let arguments = json!({ "selector": { "text": "No such row" }, "timeout_ms": 150, "retry": { "max_attempts": 3, "backoff_ms": 10 } });
        let answer = bench.call("wait_for_ui", arguments).await.fine();
        assert_eq!(
            (&answer["/metrics/attempts"], &answer["success"]),
            (&json!(3), &json!(false)),
            "{:#}",
            answer.structured
        );
    }

    async fn clickable_waits_until_it_is(flavor) {
        let bench = Bench::new("login", flavor).await;
        bench.phone().set_enabled("login.sign_in", false);
        bench.phone().on_dump(3, Mutation::before(Change::Enabled("login.sign_in".to_owned(), true)));
        let mark = bench.mark();
        bench
            .call(
                "wait_for_ui",
                json!({ "selector": { "resource_id": "sign_in" }, "condition": "clickable", "poll_interval_ms": 50 }),
            )
            .await
            .succeeded();
        assert_eq!(mark.dumps().len(), 4);
    }

    async fn a_visible_element_is_proved(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let id = bench.call("wait_for_ui", json!({ "selector": { "text": "Wi-Fi" } })).await.succeeded()["/element/elementId"].clone();
        for target in [json!({ "selector": { "text": "Wi-Fi" } }), json!({ "element_id": id })] {
            let answer = bench.call("expect_element_visible", target.clone()).await.succeeded();
            assert_eq!(answer["expected_condition"], "visible");
            assert_eq!(
                (&answer["/observed/status"], &answer["/observed/condition_satisfied"]),
                (&json!("visible"), &json!(true)),
                "{target}"
            );
            assert_eq!(answer["/element/text"], "Wi-Fi", "{target}");
        }
        let answer = bench
            .call("expect_element_visible", json!({ "selector": { "text": "No such row" }, "timeout_ms": 800 }))
            .await
            .fine();
        assert_eq!((&answer["success"], &answer["failure_code"]), (&json!(false), &json!("ASSERTION_TIMEOUT")));
        assert_eq!(answer["/observed/matched_count"], 0);
    }

    async fn a_state_is_proved_or_shown_as_it_is(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let state = |id: &str, property: &str, expected: Value| {
            json!({
                "selector": { "resource_id": id }, "property": property, "expected": expected, "timeout_ms": 800,
            })
        };
        for (arguments, value) in [
            (state("wifi", "checked", json!(true)), json!(true)),
            (state("airplane", "checked", json!(false)), json!(false)),
            (state("theme_system", "enabled", json!(false)), json!(false)),
            (state("title", "text_value", json!("Settings")), json!("Settings")),
        ] {
            let answer = bench.call("expect_state", arguments.clone()).await.succeeded();
            assert_eq!(answer["/observed_state/value"], value, "{arguments}");
            assert_eq!(answer["stable_observation_count"], 2, "{arguments}");
            assert!(
                answer["stabilization_window_ms"].is_number() && answer["snapshot_freshness_ms"].is_number(),
                "{:#}",
                answer.structured
            );
        }
        for (arguments, code, value) in [
            (state("wifi", "checked", json!(false)), "EXPECT_STATE_MISMATCH", json!(true)),
            (state("title", "text_value", json!("Other")), "EXPECT_STATE_MISMATCH", json!("Settings")),
            (state("nothing", "checked", json!(true)), "ELEMENT_NOT_FOUND", Value::Null),
            (state("option_switch", "checked", json!(true)), "AMBIGUOUS_TARGET", Value::Null),
            (state("title", "checked", json!(true)), "UNSUPPORTED", Value::Null),
        ] {
            let answer = bench.call("expect_state", arguments.clone()).await.fine();
            assert_eq!(
                (&answer["success"], answer.code()),
                (&json!(false), code),
                "{arguments}: {:#}",
                answer.structured
            );
            assert_eq!(answer["/observed_state/value"], value, "{arguments}");
        }
    }

    async fn a_fingerprint_names_a_screen(flavor) {
        let bench = Bench::new("login", flavor).await;
        let first = bench.call("get_screen_fingerprint", json!({})).await.fine();
        let again = bench.call("get_screen_fingerprint", json!({})).await.fine();
        assert_eq!(first["fingerprint"], again["fingerprint"]);
        bench.phone().goto("welcome");
        let other = bench.call("get_screen_fingerprint", json!({})).await.fine();
        assert_ne!(first["fingerprint"], other["fingerprint"]);
    }
}
