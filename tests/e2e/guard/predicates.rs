//! Preconditions: predicates of components, alone and combined, decided on the guard's one read.

use serde_json::{Value, json};

use super::{Case, TOOLS, arguments, assert_blocked, assert_blocking_tree, assert_compact, cases, expected, reset};
use crate::support::{Bench, Flavor, on_each_adb};

const FALSE: &str = "fails";
const TRUE: &str = "holds";
const UNKNOWN: &str = "cannot_tell";

fn visible(id: &str) -> Value {
    json!({ "predicate": "element-visible", "args": { "selector": { "resource_id": id } } })
}

fn checked(id: &str, expected: bool) -> Value {
    json!({ "predicate": "element-state", "args": { "selector": { "resource_id": id }, "property": "checked", "expected": expected } })
}

fn text(text: &str) -> Value {
    json!({ "predicate": "text-present", "args": { "text": text } })
}

/// A precondition on the login screen, the verdict of each of its predicates in order, and what comes of them together.
fn table() -> Vec<(Value, Vec<&'static str>, &'static str)> {
    let part = json!({ "predicate": "text-present", "args": { "text": "Example", "contains": true } });
    vec![
        (visible("sign_in"), vec![TRUE], "matched"),
        (visible("nothing"), vec![FALSE], "mismatch"),
        (checked("remember", false), vec![TRUE], "matched"),
        (checked("remember", true), vec![FALSE], "mismatch"),
        // A title is not unchecked: it cannot be checked.
        (checked("title", false), vec![UNKNOWN], "unavailable"),
        (checked("nothing", false), vec![UNKNOWN], "unavailable"),
        (text("Sign in"), vec![TRUE], "matched"),
        (text("Example"), vec![FALSE], "mismatch"),
        (part, vec![TRUE], "matched"),
        (json!({ "not": text("Welcome") }), vec![FALSE], "matched"),
        (json!({ "not": text("Sign in") }), vec![TRUE], "mismatch"),
        (json!({ "not": checked("title", false) }), vec![UNKNOWN], "unavailable"),
        (json!({ "all": [visible("sign_in"), text("Sign in")] }), vec![TRUE, TRUE], "matched"),
        (json!({ "all": [visible("sign_in"), text("Welcome")] }), vec![TRUE, FALSE], "mismatch"),
        (json!({ "all": [checked("title", false), text("Welcome")] }), vec![UNKNOWN, FALSE], "mismatch"),
        (json!({ "all": [checked("title", false), text("Sign in")] }), vec![UNKNOWN, TRUE], "unavailable"),
        (json!({ "any": [text("Welcome"), text("Sign in")] }), vec![FALSE, TRUE], "matched"),
        (json!({ "any": [text("Welcome"), text("Goodbye")] }), vec![FALSE, FALSE], "mismatch"),
        (json!({ "any": [checked("title", false), text("Sign in")] }), vec![UNKNOWN, TRUE], "matched"),
        (json!({ "any": [checked("title", false), text("Welcome")] }), vec![UNKNOWN, FALSE], "unavailable"),
        (
            json!({ "all": [{ "not": text("Welcome") }, { "any": [checked("remember", true), checked("remember", false)] }] }),
            vec![FALSE, FALSE, TRUE],
            "matched",
        ),
    ]
}

async fn decides(bench: &Bench, case: Case, precondition: &Value, verdicts: &[&str], status: &str) {
    reset(bench);
    let mark = bench.mark();
    let answer =
        bench.call(case.tool.name, arguments(bench, case, &json!({ "precondition": precondition }))).await.fine();
    let shown = format!("{case}: {precondition}");
    let seen: Vec<_> =
        answer["checks"].as_array().into_iter().flatten().map(|check| check["verdict"].as_str().unwrap()).collect();
    assert_eq!(seen, verdicts, "{shown}: {:#}", answer["checks"]);
    match status {
        "matched" => {
            assert_eq!(answer["success"], true, "{shown}: {:#}", answer.structured);
            assert_eq!(answer["/condition/status"], "matched", "{shown}");
            mark.one_input(case.tool.kind, &shown);
        }
        "mismatch" => {
            mark.no_input(&shown);
            assert_blocked(&answer, "PRECONDITION_FAILED", "mismatch", None, &shown);
            assert_blocking_tree(&answer, &shown);
        }
        _ => {
            mark.no_input(&shown);
            assert_blocked(&answer, "PRECONDITION_UNAVAILABLE", "unavailable", Some("PREDICATE_CANNOT_TELL"), &shown);
            assert_blocking_tree(&answer, &shown);
        }
    }
    let expected_reads = case.tool.resolving + 1;
    let before = mark.inputs().first().map_or(f64::INFINITY, |input| input.start_ms);
    let reads = mark.dumps().iter().filter(|dump| dump.start_ms < before).count();
    assert_eq!(reads, expected_reads, "{shown}: one read for all predicates");
    if case.response == "compact" {
        assert_compact(&answer, &shown);
    } else {
        assert!(answer["/checks/0/evidence"].is_array(), "{shown}: {:#}", answer["checks"]);
    }
}

on_each_adb! {
    async fn verdicts_combine_in_three_values(flavor) {
        let bench = Bench::new("login", flavor).await;
        let tap = cases()
            .into_iter()
            .filter(|case| case.tool.name == "tap" && case.verification == "none")
            .collect::<Vec<_>>();
        for (precondition, verdicts, status) in table() {
            for case in &tap {
                decides(&bench, *case, &precondition, &verdicts, status).await;
            }
        }
    }

    async fn every_tool_and_mode_asks_them(flavor) {
        let bench = Bench::new("login", flavor).await;
        for case in cases() {
            decides(&bench, case, &visible("sign_in"), &[TRUE], "matched").await;
            decides(&bench, case, &text("Welcome"), &[FALSE], "mismatch").await;
            decides(&bench, case, &checked("title", true), &[UNKNOWN], "unavailable").await;
        }
    }

    async fn together_with_an_expected_state_both_must_hold(flavor) {
        let bench = Bench::new("login", flavor).await;
        let case = cases()[0];
        for (same, present, sent) in
            [(true, true, true), (true, false, false), (false, true, false), (false, false, false)]
        {
            reset(&bench);
            let state = expected(&bench).await;
            if !same {
                bench.phone().set_text("login.title", "Another title");
            }
            let precondition = text(if present { "Sign in" } else { "Welcome" });
            let mark = bench.mark();
            let answer = bench
                .call(
                    case.tool.name,
                    arguments(&bench, case, &json!({ "expectedState": state, "precondition": precondition })),
                )
                .await
                .fine();
            let shown = format!("same {same}, present {present}: {:#}", answer.structured);
            assert_eq!(answer["success"], sent, "{shown}");
            assert_eq!(mark.inputs().len(), usize::from(sent), "{shown}");
            assert_eq!(answer["checks"].as_array().map(Vec::len), Some(2), "{shown}");
            assert_eq!(mark.dumps().len(), 1, "{shown}: one read decides both");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_precondition_that_makes_no_sense_is_refused_before_any_device_work() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    let wrong = [
        (json!({}), "precondition"),
        (json!({ "predicate": "element-visibel", "args": { "selector": { "text": "a" } } }), "precondition.predicate"),
        (json!({ "predicate": "element-visible" }), "precondition.args.selector"),
        (json!({ "predicate": "element-visible", "args": { "selector": {} } }), "precondition.args.selector"),
        (json!({ "predicate": "text-present", "args": { "text": 3 } }), "precondition.args.text"),
        (json!({ "predicate": "text-present", "args": { "text": "a" }, "all": [] }), "precondition"),
        (json!({ "all": [] }), "precondition.all"),
        (json!({ "any": [text("a"), { "predicate": "nope" }] }), "precondition.any[1].predicate"),
        (json!({ "not": {} }), "precondition.not"),
        (json!({ "predicate": "text-present", "args": { "text": "a" }, "timeoutMs": 99 }), "precondition.timeoutMs"),
        (
            json!({ "all": [{ "predicate": "text-present", "args": { "text": "a" }, "timeoutMs": 500 }] }),
            "precondition.all[0].timeoutMs",
        ),
        (json!({ "predicat": "text-present" }), "precondition.predicat"),
    ];
    for tool in &TOOLS {
        for (precondition, member) in &wrong {
            let mut arguments = bench.aimed(tool.arguments());
            arguments["precondition"] = precondition.clone();
            let mark = bench.mark();
            let answer = bench.call(tool.name, arguments).await;
            let case = format!("{} {precondition}: {:#}", tool.name, answer.structured);
            assert!(answer.is_error && answer.code() == "INVALID_ARGUMENT", "{case}");
            assert_eq!(answer["/error/member"], *member, "{case}");
            assert!(mark.commands().is_empty(), "{case}");
        }
    }
    let mut arguments = bench.aimed(TOOLS[0].arguments());
    arguments["precondition"] = json!({ "predicate": "element-visibel", "args": { "selector": { "text": "a" } } });
    let answer = bench.call("tap", arguments).await;
    assert!(answer["/error/candidates"].to_string().contains("element-visible"), "{:#}", answer.structured);
}
