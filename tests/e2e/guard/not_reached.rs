//! An action that fails before its guard says that the guard was not asked.

use serde_json::{Value, json};

use super::{arguments as arguments_of, assert_expectation, cases, expected, reset};
use crate::support::{Bench, on_each_adb};

on_each_adb! {
    async fn a_failed_target_leaves_the_condition_unchecked(flavor) {
        let bench = Bench::new("login", flavor).await;
        bench.phone().set_enabled("login.sign_in", false);
        let targets = [
            ("nothing matches", json!({ "selector": { "text": "No such thing" } }), "ELEMENT_NOT_FOUND"),
            ("disabled", json!({ "selector": { "resource_id": "sign_in" } }), "ELEMENT_NOT_INTERACTABLE"),
            ("several match", json!({ "selector": { "text": "in", "contains": true } }), ""),
            (
                "waited for in vain",
                json!({ "selector": { "text": "No such thing" }, "waitFor": { "timeoutMs": 200 } }),
                "ELEMENT_NOT_FOUND",
            ),
        ];
        for (what, target, code) in targets {
            for case in cases().into_iter().filter(|case| case.tool.name == "tap_element") {
                let state = expected(&bench).await;
                let mut arguments = arguments_of(&bench, case, &json!({ "expectedState": state }));
                arguments.as_object_mut().unwrap().remove("selector");
                for (name, value) in target.as_object().unwrap() {
                    arguments[name] = value.clone();
                }
                let mark = bench.mark();
                let answer = bench.call("tap_element", arguments).await.fine();
                let shown = format!("{what}: {case}: {:#}", answer.structured);
                mark.no_input(&shown);
                if !code.is_empty() {
                    assert_eq!(answer["failure_code"], code, "{shown}");
                }
                assert_eq!(answer["success"], false, "{shown}");
                assert_eq!(answer["/condition/status"], "not_checked", "{shown}");
                assert_eq!(answer["/condition/reason"], "ACTION_NOT_REACHED", "{shown}");
                assert_eq!(answer["/condition/observed"], Value::Null, "{shown}");
                assert_eq!(answer["/condition/elapsed_ms"], 0.0, "{shown}");
                assert_eq!(
                    (&answer["dispatch_started"], &answer["delivery_status"]),
                    (&json!(false), &json!("not_delivered")),
                    "{shown}"
                );
                assert_eq!(answer["/verification/status"], "not_requested", "{shown}");
                assert_expectation(&answer, &state, &shown);
            }
        }
    }

    async fn text_that_cannot_be_typed_leaves_the_condition_unchecked(flavor) {
        let bench = Bench::new("login", flavor).await;
        for case in cases().into_iter().filter(|case| case.tool.name == "type_text") {
            reset(&bench);
            let state = expected(&bench).await;
            let mut arguments = arguments_of(&bench, case, &json!({ "expectedState": state }));
            arguments["text"] = json!("smile 😀");
            let mark = bench.mark();
            let answer = bench.call("type_text", arguments).await.fine();
            mark.no_input(&format!("{case}"));
            assert_eq!(answer["failure_code"], "UNSUPPORTED_TEXT", "{case}: {:#}", answer.structured);
            assert_eq!(answer["/condition/status"], "not_checked", "{case}: {:#}", answer.structured);
            assert!(mark.dumps().is_empty() || case.verification == "full", "{case}: nothing was read for it");
        }
    }

    async fn text_of_several_commands_takes_no_guard(flavor) {
        let bench = Bench::new("login", flavor).await;
        let state = expected(&bench).await;
        let mark = bench.mark();
        let arguments =
            bench.aimed(json!({ "text": "a".repeat(9_000), "expectedState": state, "responseMode": "compact" }));
        let answer = bench.call("type_text", arguments).await;
        mark.no_input("9000 characters");
        assert_eq!(answer.code(), "INVALID_ARGUMENT", "{:#}", answer.structured);
        assert_eq!(answer["/error/member"], "expectedState", "{:#}", answer.structured);
    }
}
