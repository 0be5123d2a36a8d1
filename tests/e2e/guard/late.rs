//! A condition that ran out of time sends nothing: not then, not later.

use std::time::Duration;

use serde_json::{Value, json};
use simphone::{Fault, FaultKind, Profile};

use super::{TOOLS, arguments as arguments_of, assert_blocked, cases, expected, guarded, reset};
use crate::support::{Bench, Flavor, Setup, on_each_adb};

/// Longer than the conditions below, shorter than anyone's patience.
const SLOW: Profile = Profile { dump_ms: (700, 700), ..Profile::INSTANT };

/// One tool's row of the matrix, on a phone of its own.
async fn slow(flavor: Flavor, tool: &'static str) {
    let bench = Setup::new("login", flavor).phone(|phone| phone.profile = SLOW).start().await;
    for case in cases().into_iter().filter(|case| case.tool.name == tool) {
        reset(&bench);
        let mut state = expected(&bench).await;
        state["timeoutMs"] = json!(300);
        let mark = bench.mark();
        let answer = guarded(&bench, case, &state).await;
        let shown = format!("{case}");
        assert_blocked(&answer, "PRECONDITION_UNAVAILABLE", "unavailable", Some("CONDITION_TIMEOUT"), &shown);
        assert_eq!(answer["/condition/observed"], Value::Null, "{shown}");
        let elapsed = answer["/condition/elapsed_ms"].as_f64().unwrap();
        assert!((300.0..700.0).contains(&elapsed), "{shown}: {elapsed}");
        mark.no_input_later(Duration::from_millis(900), &shown).await;
    }
}

on_each_adb! {
    async fn a_slow_read_blocks_every_tool_in_every_mode(flavor) {
        let rows: Vec<_> = TOOLS.iter().map(|tool| tokio::spawn(slow(flavor, tool.name))).collect();
        for row in rows {
            row.await.unwrap();
        }
    }

    async fn a_read_that_hangs_is_cut_off(flavor) {
        let bench = Bench::new("login", flavor).await;
        let mut state = expected(&bench).await;
        state["timeoutMs"] = json!(300);
        bench.phone().fault(Fault::once("dump", FaultKind::Hang));
        let mark = bench.mark();
        let answer = guarded(&bench, cases()[0], &state).await;
        assert_blocked(&answer, "PRECONDITION_UNAVAILABLE", "unavailable", Some("CONDITION_TIMEOUT"), "hang");
        assert!(answer.elapsed < Duration::from_secs(2), "{:?}", answer.elapsed);
        mark.no_input_later(Duration::from_millis(500), "after a hang").await;
    }

    async fn a_read_that_outlives_its_condition_is_waited_for_by_the_next_request(flavor) {
        let patient = Profile { idle_timeout_ms: 1_500, ..Profile::INSTANT };
        let bench = Setup::new("login", flavor).phone(|phone| phone.profile = patient).start().await;
        let mut state = expected(&bench).await;
        state["timeoutMs"] = json!(300);
        bench.phone().fault(Fault::once("dump", FaultKind::NeverIdle));
        let mark = bench.mark();
        let answer = guarded(&bench, cases()[0], &state).await;
        assert_blocked(&answer, "PRECONDITION_UNAVAILABLE", "unavailable", Some("CONDITION_TIMEOUT"), "never idle");
        // The dump still holds the device's one slot: the next read starts when it is over, not into it.
        let tree = bench.call("get_ui_tree", json!({})).await.fine();
        assert!(!tree["elements"].as_array().unwrap().is_empty());
        assert_eq!(mark.dumps().len(), 2, "{:#?}", mark.dumps());
        mark.no_busy_slot("after a read that was cut off");
        mark.no_input("after a read that was cut off");
    }

    async fn the_condition_does_not_spend_the_actions_time(flavor) {
        let slow = Profile { dump_ms: (500, 500), ..Profile::INSTANT };
        let bench = Setup::new("login", flavor).phone(|phone| phone.profile = slow).start().await;
        let state = expected(&bench).await;
        let mark = bench.mark();
        let mut arguments = arguments_of(&bench, cases()[0], &json!({ "expectedState": state }));
        arguments["actionTimeoutMs"] = json!(400);
        let answer = bench.call("tap", arguments).await.succeeded();
        assert_eq!(answer["/condition/status"], "matched");
        assert!(answer["/condition/elapsed_ms"].as_f64().unwrap() >= 500.0, "{:#}", answer["condition"]);
        mark.one_input("tap", "after a condition longer than the action's own time");
    }
}
