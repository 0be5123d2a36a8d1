//! Whole screens waited for and judged, elements found by words, outcomes told.

use serde_json::{Value, json};
use simphone::{Change, Mutation};

use crate::support::{Bench, Flavor, on_each_adb};

async fn fingerprint(bench: &Bench) -> Value {
    bench.call("get_screen_fingerprint", json!({})).await.fine()["fingerprint"].clone()
}

on_each_adb! {
    async fn another_screen_takes_a_read_that_differs_and_one_that_confirms_it(flavor) {
        let bench = Bench::new("login", flavor).await;
        let before = fingerprint(&bench).await;
        bench.phone().goto("welcome");
        let mark = bench.mark();
        let answer = bench
            .call("wait_for_screen_change", json!({ "previousFingerprint": before, "pollIntervalMs": 2000 }))
            .await
            .succeeded();
        let dumps = mark.dumps();
        assert_eq!(dumps.len(), 2, "{:#}", answer.structured);
        assert!(dumps[1].start_ms - dumps[0].end_ms.unwrap() >= 95.0, "{dumps:#?}");
        assert_eq!(answer["previousFingerprint"], before);
        assert_ne!(answer["newFingerprint"], before);
        assert_eq!(answer["newFingerprint"], answer["/observed_screen/fingerprint"]);
        assert_eq!(answer["newFingerprint"], fingerprint(&bench).await);
    }

    async fn the_same_screen_is_no_change(flavor) {
        let bench = Bench::new("login", flavor).await;
        let before = fingerprint(&bench).await;
        let answer = bench
            .call("wait_for_screen_change", json!({ "previousFingerprint": before, "timeoutMs": 600 }))
            .await
            .fine();
        assert_eq!((&answer["success"], answer.code()), (&json!(false), "NAVIGATION_NO_CHANGE"));
        assert_eq!(answer["lastFingerprint"], before);
        assert_eq!(answer["/error/code"], "NAVIGATION_NO_CHANGE");
    }

    async fn a_change_is_told_by_its_kind_once_it_stays(flavor) {
        let bench = Bench::new("settings", flavor).await;
        for (expected, change, scope) in [
            ("text_change", Change::Text("settings.wifi_summary".into(), "Other network".into()), "screen"),
            ("state_change", Change::Checked("settings.airplane".into(), true), "screen"),
            ("hierarchy_diff", Change::Visible("settings.title".into(), false), "screen"),
            ("state_change", Change::Checked("settings.wifi".into(), false), "subtree"),
        ] {
            bench.phone().on_dump(1, Mutation::after(change));
            let mut arguments = json!({ "expected_change": expected, "scope": scope });
            if scope == "subtree" {
                arguments["target"] = json!({ "resource_id": "list" });
            }
            let mark = bench.mark();
            let answer = bench.call("wait_for_ui_change", arguments).await.succeeded();
            let dumps = mark.dumps();
            assert_eq!(dumps.len(), 3, "before, changed, still so: {:#}", answer.structured);
            assert!(dumps[2].start_ms - dumps[1].end_ms.unwrap() >= 245.0, "{dumps:#?}");
            assert_eq!(answer["observed_change"], expected, "{:#}", answer.structured);
            assert_eq!((&answer["stability_state"], &answer["scope"]), (&json!("stable"), &json!(scope)));
            assert!(answer["snapshot_revision"].is_number());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_kind_of_change_and_one_elsewhere_are_not_waited_for() {
    let bench = Bench::new("settings", Flavor::StandIn).await;
    let other = |change| bench.phone().on_dump(1, Mutation::after(change));
    other(Change::Checked("settings.airplane".into(), true));
    let answer =
        bench.call("wait_for_ui_change", json!({ "expected_change": "text_change", "timeout_ms": 700 })).await.fine();
    assert_eq!((&answer["success"], &answer["timeout"], answer.code()), (&json!(false), &json!(true), "TIMEOUT"));
    assert_eq!(answer["observed_change"], "state_change", "{:#}", answer.structured);
    other(Change::Text("settings.title".into(), "Other".into()));
    let arguments = json!({ "scope": "subtree", "target": { "resource_id": "list" }, "timeout_ms": 700 });
    let answer = bench.call("wait_for_ui_change", arguments).await.fine();
    assert_eq!((&answer["success"], &answer["stability_state"]), (&json!(false), &json!("unchanged")));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_on_changing_is_unstable() {
    let bench = Bench::new("ticker", Flavor::StandIn).await;
    let answer =
        bench.call("wait_for_ui_change", json!({ "timeout_ms": 2500, "stability_window_ms": 500 })).await.fine();
    assert_eq!((&answer["success"], &answer["stability_state"]), (&json!(false), &json!("unstable")));
}

#[tokio::test(flavor = "multi_thread")]
async fn readiness_is_waited_for_as_well_where_asked() {
    let bench = Bench::new("settings", Flavor::StandIn).await;
    bench.phone().on_dump(1, Mutation::after(Change::Checked("settings.airplane".into(), true)));
    let answer = bench.call("wait_for_ui_change", json!({ "readiness": true })).await.succeeded();
    assert_eq!(answer["/readiness/state"], "settled", "{:#}", answer.structured);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_reads_that_agree_decide_which_screen_it_is() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    let before = fingerprint(&bench).await;
    for (arguments, basis, confidence) in [
        (json!({ "fingerprint": before }), "fingerprint", 1.0),
        (json!({ "screen": ".MainActivity" }), "screen", 0.7),
        (json!({ "screen": "com.example.login/.MainActivity" }), "screen", 0.7),
    ] {
        let mark = bench.mark();
        let answer = bench.call("expect_screen", arguments).await.succeeded();
        assert_eq!(mark.dumps().len(), 2);
        assert_eq!(answer["/comparison/basis"], basis, "{:#}", answer.structured);
        assert_eq!(answer["confidence"], confidence);
        assert_eq!(answer["/observed_screen/fingerprint"], before);
    }
    for arguments in [json!({ "fingerprint": "0000000000000000" }), json!({ "screen": "OtherActivity" })] {
        let mark = bench.mark();
        let answer = bench.call("expect_screen", arguments).await.fine();
        assert_eq!((&answer["success"], answer.code()), (&json!(false), "EXPECT_STATE_MISMATCH"));
        assert_eq!((&answer["/comparison/matched"], mark.dumps().len()), (&json!(false), 2), "no waiting");
    }
    bench.call("expect_screen", json!({})).await.refused("INVALID_ARGUMENT", Some("fingerprint"));
    let both = json!({ "screen": "a", "fingerprint": "b" });
    bench.call("expect_screen", both).await.refused("INVALID_ARGUMENT", Some("screen"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_found_by_words_can_be_tapped_where_it_says() {
    let bench = Bench::new("settings", Flavor::StandIn).await;
    let mark = bench.mark();
    let answer = bench.call("find_element", json!({ "query": "airplane" })).await.fine();
    assert_eq!((&answer["found"], mark.dumps().len()), (&json!(true), 1), "{:#}", answer.structured);
    let element = &answer["element"];
    assert!(element["telemetry"]["matchedIndex"].is_number() && element["bounds"]["left"].is_number(), "{element:#}");
    assert_eq!(answer["/resolution/matched_count"], 2, "title and switch: {:#}", answer["resolution"]);
    assert_eq!(answer["/resolution/fallback_available"], true);
    let switch = bench.call("find_element", json!({ "query": "Airplane mode", "exact": true })).await.fine();
    let (x, y) = (&switch["/element/tapCoordinates/x"], &switch["/element/tapCoordinates/y"]);
    bench.call("tap", json!({ "x": x, "y": y, "verificationMode": "none" })).await.succeeded();
    let on = json!({ "selector": { "resource_id": "airplane" }, "property": "checked", "expected": true });
    bench.call("expect_state", on).await.succeeded();
    let id = switch["/element/elementId"].clone();
    bench.call("tap_element", json!({ "elementId": id, "verificationMode": "none" })).await.succeeded();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_looked_for_as_long_as_asked() {
    let bench = Bench::new("settings", Flavor::StandIn).await;
    let mark = bench.mark();
    let answer = bench.call("find_element", json!({ "query": "zebra", "timeoutMs": 900 })).await.fine();
    assert_eq!((&answer["found"], &answer["/error/code"]), (&json!(false), &json!("ELEMENT_NOT_FOUND")));
    assert_eq!((&answer["confidence"], &answer["/resolution/matched_count"]), (&json!(0.0), &json!(0)));
    assert!(mark.dumps().len() >= 2, "{}", mark.dumps().len());
    bench.call("find_element", json!({ "query": "  " })).await.refused("INVALID_ARGUMENT", Some("query"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outcome_is_told_without_a_device() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    let mark = bench.mark();
    let arguments = json!({ "uiChanged": false, "actionType": "tap", "networkRequests": [
        { "endpoint": "/login", "method": "POST", "statusCode": 500, "status": "failure", "durationMs": 12.5 }] });
    let answer = bench.call("classify_action_outcome", arguments).await.fine();
    assert_eq!(answer["outcome"], "backend_failure");
    assert!(answer["reasoning"].as_str().unwrap().contains("/login"));
    assert!(mark.commands().is_empty());
}
