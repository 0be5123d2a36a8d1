//! A screen that is still the expected one lets the input through, once.

use serde_json::json;

use super::{assert_compact, assert_expectation, cases, expected, guarded, reset};
use crate::support::{Bench, on_each_adb};

on_each_adb! {
    async fn exactly_one_input_and_one_read_of_the_guards_own(flavor) {
        let bench = Bench::new("login", flavor).await;
        for case in cases() {
            reset(&bench);
            let state = expected(&bench).await;
            let mark = bench.mark();
            let answer = guarded(&bench, case, &state).await.succeeded();
            let (tool, verification, case) = (case.tool, case.verification, &format!("{case}"));

            mark.one_input(tool.kind, case);
            assert_eq!(answer["/condition/status"], "matched", "{case}");
            assert_eq!(answer["/condition/reason"], json!(null), "{case}");
            assert_expectation(&answer, &state, case);
            assert_eq!(answer["/condition/observed/snapshot_revision"], state["snapshotRevision"], "{case}");
            assert_eq!(
                (&answer["delivery_status"], &answer["dispatch_started"]),
                (&json!("delivered"), &json!(true)),
                "{case}"
            );

            let resolving = tool.resolving;
            let reads = mark.dumps().len() - resolving;
            match verification {
                "none" => assert_eq!(reads, 1, "{case}: the guard's own and no other"),
                "light" => assert_eq!(reads, 2, "{case}: the guard's own and one after"),
                _ => assert!(reads >= 3, "{case}: the guard's own and two that agree, not {reads}"),
            }
            // The guard's read was the last before the input.
            let (input, dumps) = (mark.inputs()[0].start_ms, mark.dumps());
            let before = dumps.iter().filter(|dump| dump.start_ms < input).count();
            assert_eq!(before, resolving + 1, "{case}: {dumps:#?}");
        }
    }
}

on_each_adb! {
    async fn compact_keeps_session_revision_and_time_and_debug_the_whole_tree(flavor) {
        let bench = Bench::new("login", flavor).await;
        for case in cases().into_iter().filter(|case| case.verification != "full") {
            reset(&bench);
            let state = expected(&bench).await;
            let answer = guarded(&bench, case, &state).await.succeeded();
            let observed = &answer["/condition/observed"];
            assert_eq!(observed["snapshot_session_id"], state["snapshotSessionId"], "{case}");
            assert!(observed["captured_at_ms"].is_number(), "{case}");
            let members = observed.as_object().unwrap().len();
            if case.response == "compact" {
                assert_eq!(members, 3, "{case}: {observed:#}");
                assert_compact(&answer, &format!("{case}"));
            } else {
                assert!(observed["elements"].as_array().unwrap().len() >= 5, "{case}: {observed:#}");
                assert!(answer["/condition/read_age_ms"].is_number(), "{case}");
            }
        }
    }
}

on_each_adb! {
    async fn a_matched_guard_whose_input_is_refused_keeps_matched(flavor) {
        let bench = Bench::new("login", flavor).await;
        for case in cases().into_iter().filter(|case| case.verification == "none") {
            reset(&bench);
            let state = expected(&bench).await;
            bench.phone().fault(simphone::Fault::once("input", simphone::FaultKind::InputDenied));
            let mark = bench.mark();
            let answer = guarded(&bench, case, &state).await;
            assert_eq!(answer["success"], false, "{case}: {:#}", answer.structured);
            assert_eq!(answer["failure_code"], "INPUT_DENIED", "{case}: {:#}", answer.structured);
            assert_eq!(answer["/condition/status"], "matched", "{case}");
            assert_eq!(answer["dispatch_started"], true, "{case}");
            assert_eq!(answer["/verification/status"], "not_requested", "{case}");
            assert!(mark.inputs().is_empty(), "{case}: the device denied it");
            assert_eq!(mark.input_commands().len(), 1, "{case}: never tried again");
        }
    }
}
