//! Actions of several inputs: each decided on a look, none sent blindly, all on one budget.

use serde_json::{Value, json};
use simphone::{Fault, FaultKind, Profile};

use crate::support::{Answer, Bench, Flavor, Setup, on_each_adb};

async fn scroll(bench: &Bench, arguments: Value) -> Answer {
    bench.call("scroll_to_element", arguments).await.fine()
}

fn stages(answer: &Answer) -> Vec<(String, u64)> {
    let steps = answer["/trace/steps"].as_array().unwrap();
    let stage = |step: &Value| (step["stage"].as_str().unwrap().to_owned(), step["attempt_index"].as_u64().unwrap());
    steps.iter().map(stage).collect()
}

on_each_adb! {
    async fn each_scroll_is_one_input_followed_by_one_look(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let mark = bench.mark();
        let arguments = json!({ "selector": { "text": "Option 14" }, "verificationMode": "light" });
        let answer = scroll(&bench, arguments).await.succeeded();
        let (dumps, inputs) = (mark.dumps(), mark.inputs());
        assert!(!inputs.is_empty() && inputs.iter().all(|input| input.kind == "swipe"), "{inputs:#?}");
        assert_eq!(dumps.len(), inputs.len() + 1, "{:#}", answer.structured);
        for (input, look) in inputs.iter().zip(dumps.iter().skip(1)) {
            assert!(look.start_ms >= input.end_ms.unwrap(), "a look begins when the scroll is over");
        }
        assert_eq!(answer["/details/reason"], "element_found");
        assert_eq!(answer["/details/scrollsPerformed"], inputs.len());
        assert_eq!(answer["/details/element/text"], "Option 14");
        assert_eq!(answer["/target/resolved/text"], "Option 14");
        assert_eq!(answer["/verification/status"], "observed", "the look that found it is the light one");
        assert_eq!(answer["/trace/attempts"], inputs.len());
        assert_eq!(stages(&answer)[..3], [("resolve".into(), 0), ("execute".into(), 0), ("stabilize".into(), 0)]);
        bench.call("tap_element", json!({ "selector": { "text": "Option 14" } })).await.succeeded();
    }

    async fn what_is_there_is_not_scrolled_to(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let mark = bench.mark();
        let answer = scroll(&bench, json!({ "selector": { "className": "TextView", "text": "Wi-Fi" } })).await.succeeded();
        mark.no_input("it was there");
        assert_eq!((mark.dumps().len(), &answer["/details/scrollsPerformed"]), (1, &json!(0)));
        assert_eq!((&answer["dispatch_started"], &answer["delivery_status"]), (&json!(false), &json!("not_delivered")));
        assert_eq!(answer["/verification/status"], "not_requested");
    }

    async fn the_end_of_a_list_is_told_from_not_enough_scrolls(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let nowhere = |most: u32| json!({ "selector": { "text": "Nowhere" }, "maxScrolls": most, "actionTimeoutMs": 30_000 });
        let answer = scroll(&bench, nowhere(2)).await;
        assert_eq!((answer.code(), &answer["/details/reason"]), ("ELEMENT_NOT_FOUND", &json!("element_not_found")));
        assert_eq!(answer["/details/scrollsPerformed"], 2);
        let answer = scroll(&bench, nowhere(20)).await;
        let shown = format!("{:#}", answer.structured);
        assert_eq!((answer.code(), &answer["/details/reason"]), ("ELEMENT_NOT_FOUND", &json!("ui_unchanged_after_scroll")), "{shown}");
        assert_eq!((&answer["delivery_status"], &answer["dispatch_started"]), (&json!("delivered"), &json!(true)));
        assert_eq!(answer["/recovery/retry_allowed"], false);
        let up = json!({ "selector": { "text": "Wi-Fi" }, "direction": "up", "actionTimeoutMs": 30_000 });
        scroll(&bench, up).await.succeeded();
    }

    async fn no_scroll_is_begun_once_the_time_is_over(flavor) {
        let slow = Profile { dump_ms: (700, 700), ..Profile::INSTANT };
        let bench = Setup::new("settings", flavor).phone(|phone| phone.profile = slow).start().await;
        let mark = bench.mark();
        let arguments = json!({ "selector": { "text": "Nowhere" }, "actionTimeoutMs": 3_000 });
        let answer = scroll(&bench, arguments).await;
        let shown = format!("{:#}", answer.structured);
        assert_eq!(answer.code(), "ACTION_TIMEOUT", "{shown}");
        assert_eq!(answer["retryable"], false, "{shown}");
        let inputs = mark.inputs();
        assert!(!inputs.is_empty() && inputs.len() <= 2, "{inputs:#?}");
        assert!(inputs.iter().all(|input| input.end_ms.is_some()), "none was cut: {inputs:#?}");
    }

    async fn a_slider_is_brought_to_its_value_by_what_it_shows(flavor) {
        let bench = Bench::new("controls", flavor).await;
        for (id, target, mode) in [("volume", 75, "semantic"), ("warmth", 30, "coordinate")] {
            let mark = bench.mark();
            let arguments = json!({ "selector": { "resource_id": id }, "targetValue": target, "tolerance": 1 });
            let answer = bench.call("adjust_control", arguments).await.succeeded();
            let shown = format!("{:#}", answer.structured);
            assert_eq!((&answer["converged"], &answer["within_tolerance"]), (&json!(true), &json!(true)), "{shown}");
            assert_eq!(answer["adjustment_mode"], mode, "{shown}");
            assert_eq!(answer["/target_state/target_value"], target, "{shown}");
            assert!((answer["/actual_state/value"].as_f64().unwrap() - f64::from(target)).abs() <= 1.0, "{shown}");
            assert_eq!(mark.dumps().len(), mark.inputs().len() + 1, "{shown}");
            assert_eq!(answer["attempts"], mark.inputs().len(), "{shown}");
            // Once more: it is there already.
            let mark = bench.mark();
            let arguments = json!({ "selector": { "resource_id": id }, "targetValue": target, "tolerance": 1 });
            let answer = bench.call("adjust_control", arguments).await.succeeded();
            assert_eq!(answer["attempts"], 0);
            mark.no_input("it was there");
        }
    }

    async fn steppers_and_wheels_are_walked_and_switches_turned_once(flavor) {
        let bench = Bench::new("controls", flavor).await;
        for (arguments, taps, value) in [
            (json!({ "selector": { "resource_id": "guests_value" }, "targetValue": 5 }), 3, json!(5.0)),
            (json!({ "selector": { "text": "Guests" }, "targetValue": 3 }), 2, json!(3.0)),
            (json!({ "selector": { "resource_id": "hour" }, "targetValue": 6 }), 1, json!(6.0)),
            (json!({ "selector": { "text": "Sync" }, "property": "checked", "targetValue": true }), 1, json!(true)),
        ] {
            let mark = bench.mark();
            let answer = bench.call("adjust_control", arguments.clone()).await.succeeded();
            let shown = format!("{arguments}: {:#}", answer.structured);
            assert_eq!(mark.inputs().len(), taps, "{shown}");
            assert_eq!(answer["/actual_state/value"], value, "{shown}");
            assert_eq!((&answer["attempts"], &answer["adjustment_mode"]), (&json!(1), &json!("semantic")), "{shown}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_get_there_says_so_and_where_it_is() {
    let bench = Bench::new("controls", Flavor::StandIn).await;
    // A wheel that knows two numbers only.
    let arguments = json!({ "selector": { "resource_id": "hour" }, "targetValue": 9, "maxAttempts": 2 });
    let mark = bench.mark();
    let answer = bench.call("adjust_control", arguments).await.fine();
    let shown = format!("{:#}", answer.structured);
    assert_eq!((answer.code(), &answer["converged"]), ("CONTROL_CONVERGENCE_FAILED", &json!(false)), "{shown}");
    assert_eq!(answer["/actual_state/value"], 6.0, "{shown}");
    assert_eq!(answer["/recovery/failure_class"], "ControlConvergenceFailure", "{shown}");
    assert_eq!(answer["/recovery/recovery_strategy"], "retry_adjustment", "{shown}");
    assert_eq!((&answer["/recovery/retry_allowed"], &answer["retryable"]), (&json!(false), &json!(false)), "{shown}");
    assert_eq!(answer["/trace/attempts"], mark.inputs().len(), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_control_of_the_kind_is_not_touched() {
    let bench = Bench::new("controls", Flavor::StandIn).await;
    let mark = bench.mark();
    for (arguments, code) in [
        (json!({ "selector": { "resource_id": "progress" }, "targetValue": 50 }), "SEMANTIC_MISMATCH"),
        (json!({ "selector": { "resource_id": "volume" }, "targetValue": 101 }), "SEMANTIC_MISMATCH"),
        (json!({ "selector": { "resource_id": "nothing" }, "targetValue": 1 }), "ELEMENT_NOT_FOUND"),
        (json!({ "selector": { "resource_id": "row" }, "targetValue": 1 }), "AMBIGUOUS_TARGET"),
    ] {
        let answer = bench.call("adjust_control", arguments.clone()).await.fine();
        assert_eq!(answer.code(), code, "{arguments}: {:#}", answer.structured);
        assert_eq!(answer["delivery_status"], "not_delivered", "{arguments}");
    }
    mark.no_input("none of them");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_input_of_unknown_delivery_ends_a_series() {
    for (tool, arguments, scene) in [
        ("scroll_to_element", json!({ "selector": { "text": "Nowhere" }, "actionTimeoutMs": 2_500 }), "settings"),
        ("adjust_control", json!({ "selector": { "resource_id": "volume" }, "targetValue": 90 }), "controls"),
    ] {
        let bench = Bench::new(scene, Flavor::best()).await;
        bench.phone().fault(Fault::once("input", FaultKind::Killed));
        let mark = bench.mark();
        let answer = bench.call(tool, arguments).await.fine();
        let shown = format!("{tool}: {:#}", answer.structured);
        assert_eq!((&answer["success"], &answer["delivery_status"]), (&json!(false), &json!("unknown")), "{shown}");
        assert_eq!(
            (&answer["retryable"], &answer["/recovery/retry_allowed"]),
            (&json!(false), &json!(false)),
            "{shown}"
        );
        assert_eq!(answer["/recovery/recovery_strategy"], "state_refresh", "{shown}");
        assert_eq!(mark.input_commands().len(), 1, "{shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_that_fails_after_a_scroll_is_made_again_and_the_scroll_is_not() {
    let bench = Bench::new("settings", Flavor::best()).await;
    bench.phone().fault(Fault { skip: 1, ..Fault::times("dump", 3, FaultKind::NullRoot) });
    let mark = bench.mark();
    let arguments =
        json!({ "selector": { "text": "Option 9" }, "actionTimeoutMs": 30_000, "verificationMode": "none" });
    let answer = scroll(&bench, arguments).await.succeeded();
    assert_eq!(answer["/details/scrollsPerformed"], mark.inputs().len(), "{:#}", answer.structured);
    assert_eq!(mark.good_dumps(), mark.inputs().len() + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_scrolled_and_not_the_shelf_beside_it() {
    let bench = Bench::new("controls", Flavor::StandIn).await;
    let mark = bench.mark();
    scroll(&bench, json!({ "selector": { "text": "Row 9" }, "verificationMode": "none" })).await.succeeded();
    for input in mark.inputs() {
        let ys: Vec<i32> = [1, 3].iter().map(|at| input.args[*at].parse().unwrap()).collect();
        // Inside the list, and off the navigation bar below it.
        assert!(ys.iter().all(|y| (1820..2280).contains(y)), "{input:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn several_inputs_take_no_guard() {
    let bench = Bench::new("settings", Flavor::StandIn).await;
    let guard = json!({ "snapshotSessionId": "a", "snapshotRevision": 1 });
    let arguments = json!({ "selector": { "text": "a" }, "expectedState": guard });
    bench.call("scroll_to_element", arguments).await.refused("INVALID_ARGUMENT", Some("expectedState"));
    let arguments = json!({ "selector": { "text": "a" }, "targetValue": 1, "expectedState": guard });
    bench.call("adjust_control", arguments).await.refused("INVALID_ARGUMENT", Some("expectedState"));
    let arguments = json!({ "selector": { "text": "a" }, "targetValue": 1, "verificationMode": "none" });
    bench.call("adjust_control", arguments).await.refused("INVALID_ARGUMENT", Some("verificationMode"));
}
