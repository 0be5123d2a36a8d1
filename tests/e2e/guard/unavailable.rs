//! A baseline that is not there to compare with, or a screen that cannot be read, blocks the input.

use std::time::Duration;

use serde_json::{Value, json};
use simphone::{Fault, FaultKind, Times};

use super::{assert_blocked, assert_compact, assert_expectation, cases, expected, expected_of, guarded, reset};
use crate::support::{Bench, Flavor, Setup, on_each_adb};

/// The whole matrix with a baseline that cannot be compared with: no read is even made for it.
async fn without_a_baseline(bench: &Bench, state: &Value, reason: &str) {
    let whole = bench.mark();
    for case in cases() {
        let mark = bench.mark();
        let answer = guarded(bench, case, state).await;
        let shown = format!("{reason}: {case}");
        mark.no_input(&shown);
        assert_blocked(&answer, "PRECONDITION_UNAVAILABLE", "unavailable", Some(reason), &shown);
        assert_expectation(&answer, state, &shown);
        assert_eq!(answer["/condition/observed"], Value::Null, "{shown}");
        assert_eq!(mark.dumps().len(), case.tool.resolving, "{shown}: no read for a baseline that is not there");
        if case.response == "compact" {
            assert_compact(&answer, &shown);
        }
    }
    whole.no_input_later(Duration::from_millis(200), reason).await;
}

on_each_adb! {
    async fn another_session(flavor) {
        let bench = Bench::new("login", flavor).await;
        let mut state = expected(&bench).await;
        state["snapshotSessionId"] = json!("0".repeat(32));
        without_a_baseline(&bench, &state, "SESSION_MISMATCH").await;
    }

    async fn a_revision_never_handed_out(flavor) {
        let bench = Bench::new("login", flavor).await;
        let mut state = expected(&bench).await;
        state["snapshotRevision"] = json!(9_007_199_254_740_991_u64);
        without_a_baseline(&bench, &state, "BASELINE_UNAVAILABLE").await;
    }

    async fn a_ninth_revision(flavor) {
        let bench = Bench::new("login", flavor).await;
        let state = expected(&bench).await;
        for newer in 1..=7 {
            bench.phone().set_text("login.title", &format!("Title {newer}"));
            expected(&bench).await;
        }
        // Seven newer ones: still there to differ from.
        let mark = bench.mark();
        let answer = guarded(&bench, cases()[0], &state).await;
        assert_eq!(answer["/condition/status"], "mismatch", "{:#}", answer.structured);
        mark.no_input("the eighth newest");
        bench.phone().set_text("login.title", "Title 8");
        expected(&bench).await;
        without_a_baseline(&bench, &state, "BASELINE_UNAVAILABLE").await;
    }

    async fn past_the_age_limit(flavor) {
        let bench = Setup::new("login", flavor).server(|server| server.history_age_ms = Some(700)).start().await;
        let state = expected(&bench).await;
        tokio::time::sleep(Duration::from_millis(800)).await;
        without_a_baseline(&bench, &state, "BASELINE_UNAVAILABLE").await;
    }

    async fn of_before_a_replug(flavor) {
        let bench = Bench::new("login", flavor).await;
        let state = expected(&bench).await;
        bench.replug().await;
        without_a_baseline(&bench, &state, "BASELINE_UNAVAILABLE").await;
    }

    async fn of_another_device(flavor) {
        let bench = Setup::new("login", flavor).and(Setup::showing("login")).start().await;
        let other = bench.phones[1].adb_addr().to_string();
        let state = expected_of(&bench, &other).await;
        expected(&bench).await;
        let elsewhere = crate::support::Mark::now(&bench.phones[1]);
        without_a_baseline(&bench, &state, "DEVICE_MISMATCH").await;
        elsewhere.no_input("the other device");
    }
}

/// The guard's own reads fail, however often they are made: nothing is sent, though the old revision is retained.
/// What is read again until the time is up (a reason to be brief) takes the modes in turn instead of all of them.
async fn unreadable(flavor: Flavor, fault: FaultKind, reason: &str, all: bool) {
    let bench = Bench::new("login", flavor).await;
    let whole = bench.mark();
    for (number, case) in cases().into_iter().enumerate() {
        let (tool, mode) = (number / 6, number % 6);
        if !all && tool != mode {
            continue;
        }
        reset(&bench);
        bench.phone().set_awake(true);
        let mut state = expected(&bench).await;
        state["timeoutMs"] = json!(1_200);
        bench.phone().fault(Fault {
            on: "dump".to_owned(),
            times: Times::Forever,
            skip: u32::try_from(case.tool.resolving).unwrap(),
            kind: fault.clone(),
        });
        let mark = bench.mark();
        let answer = guarded(&bench, case, &state).await;
        bench.phone().clear_faults();
        let shown = format!("{fault:?}: {case}");
        mark.no_input(&shown);
        assert_blocked(&answer, "PRECONDITION_UNAVAILABLE", "unavailable", Some(reason), &shown);
        assert_expectation(&answer, &state, &shown);
        assert_eq!(answer["/condition/observed"], Value::Null, "{shown}: no valid tree was read");
        if case.response == "compact" {
            assert_compact(&answer, &shown);
        }
    }
    whole.no_input_later(Duration::from_millis(300), reason).await;
}

on_each_adb! {
    async fn a_null_root(flavor) {
        unreadable(flavor, FaultKind::NullRoot, "OBSERVATION_FAILED", false).await;
    }

    async fn a_screen_that_went_dark(flavor) {
        unreadable(flavor, FaultKind::ScreenOff, "OBSERVATION_FAILED", true).await;
    }

    async fn bytes_that_are_no_tree(flavor) {
        unreadable(flavor, FaultKind::Garbage { bytes: 300 }, "OBSERVATION_INVALID", false).await;
    }

    async fn a_tree_that_was_cut(flavor) {
        unreadable(flavor, FaultKind::CutOutput { bytes: 500 }, "OBSERVATION_INVALID", false).await;
    }
}

on_each_adb! {
    async fn a_read_that_fails_once_is_made_again_and_compared_once(flavor) {
        let bench = Bench::new("login", flavor).await;
        for case in cases().into_iter().filter(|case| case.verification == "none") {
            reset(&bench);
            let state = expected(&bench).await;
            let skip = u32::try_from(case.tool.resolving).unwrap();
            bench.phone().fault(Fault { skip, ..Fault::once("dump", FaultKind::Killed) });
            let mark = bench.mark();
            let answer = guarded(&bench, case, &state).await.succeeded();
            let shown = format!("{case}");
            mark.one_input(case.tool.kind, &shown);
            assert_eq!(answer["/condition/status"], "matched", "{shown}");
            assert_eq!(mark.good_dumps(), case.tool.resolving + 1, "{shown}: {:#?}", mark.dumps());
        }
    }
}
