//! A guest that misbehaves in every way it can: the call fails and says who and how, and the next one is served.

use std::time::Duration;

use serde_json::{Value, json};
use simphone::Counters;

use super::bounds::overloaded;
use super::{Folder, journey, shown};
use crate::support::{Answer, Bench};

/// No guest may hold a call longer than this: its own limits are 250 ms, 1 s, or its step's budget and a second.
const BOUNDED: Duration = Duration::from_secs(8);

const GRANTED: &str = "[plugins.hostile]\ngrants = [\"observe\"]\n";

async fn bench() -> (Folder, Bench) {
    let folder = Folder::new();
    folder.add_dist("hostile", "tests/hostile.wasm");
    let bench = folder.bench(GRANTED).await;
    assert_eq!(shown(&bench, "hostile").await["state"], "ready");
    (folder, bench)
}

/// Misdeeds that are work: on a machine with no time to spare, time is what they run out of first.
const WORK: [&str; 12] = [
    "recursion",
    "memory",
    "table",
    "huge-string",
    "huge-argument",
    "large-string",
    "long-reason",
    "flood-evidence",
    "million-calls",
    "log-flood",
    "progress-flood",
    "note-flood",
];

/// A fault's text: the plugin, the function, the kind, and what happened.
#[track_caller]
pub(super) fn assert_fault(message: &Value, function: &str, kind: &str, words: &str) {
    let text = message.as_str().unwrap_or_else(|| panic!("{function}: no message"));
    let begins = |kind: &str| text.starts_with(&format!("plugin hostile: {function} ({kind}): it "));
    let misdeed = function.rsplit(' ').next().unwrap_or_default();
    let late = begins("deadline") && (WORK.contains(&misdeed) || overloaded());
    assert!(late || begins(kind) && text.contains(words), "{function} ({kind}) … {words:?}: {text}");
    assert!(text.len() < 4_096 && !text.contains(char::is_control), "{text}");
}

/// Misdeeds of any call, with the fault each is.
const COMMON: [(&str, &str, &str); 13] = [
    ("spin", "deadline", "250 ms without a host call"),
    ("recursion", "trap", "recursed too deep"),
    ("memory", "memory", "its limit is 64 MiB"),
    ("table", "memory", "its limit is 64 MiB"),
    ("huge-string", "memory", "its limit is 64 MiB"),
    ("huge-argument", "memory", "its limit is 64 MiB"),
    ("large-string", "flood", "1 MiB"),
    ("log-flood", "flood", "10000 log lines"),
    ("panic", "trap", "hostile on purpose"),
    ("print-flood", "deadline", "250 ms without a host call"),
    ("bad-evidence", "bad return", "element 4294967295"),
    ("unlent-evidence", "bad return", "revision 4294967295"),
    ("flood-evidence", "flood", "1 MiB"),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_step_fails_its_step_and_nothing_else() {
    let (_folder, bench) = bench().await;
    let own = [
        ("long-reason", "flood", "1 MiB"),
        ("bad-body", "bad return", "not JSON"),
        ("nan-body", "bad return", "not JSON"),
        ("bad-shows", "bad return", "never given"),
        ("progress-flood", "flood", "10000 log lines"),
        ("note-flood", "flood", "10000 log lines"),
        ("control-characters", "bad return", "no kebab-case name"),
        ("bad-code", "bad return", "NO_SUCH_CODE"),
        ("wait-forever", "deadline", "after its time was up"),
    ];
    let mark = bench.mark();
    for (misdeed, kind, words) in COMMON.into_iter().chain(own) {
        let answer = bench.call("run_journey", journey(&format!("hostile/{misdeed}"))).await.fine();
        assert!(answer.elapsed < BOUNDED, "{misdeed}: {:?}", answer.elapsed);
        assert_eq!((&answer["success"], &answer["stopped_at_step_id"]), (&json!(false), &json!("it")), "{misdeed}");
        let result = &answer["/steps/0/result"];
        assert_eq!(
            (&result["success"], &result["failure_code"], &result["retryable"]),
            (&json!(false), &json!("PLUGIN_FAULT"), &json!(false)),
            "{misdeed}: {result:#}"
        );
        assert_fault(&result["error"]["message"], &format!("step.run {misdeed}"), kind, words);
        assert!(answer.progress.len() < 300, "{misdeed}: {} progress messages", answer.progress.len());
        // The next request is served, by the same plugin, which also ends the row of faults.
        bench.call("run_journey", journey("hostile/two-reads")).await.succeeded();
    }
    mark.no_input("hostile steps");
    assert_eq!(shown(&bench, "hostile").await["faults"]["total"], COMMON.len() + own.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_breaks_while_it_is_validated_is_refused_before_the_device() {
    let (_folder, bench) = bench().await;
    for (misdeed, kind) in [("validate-spin", "deadline"), ("validate-panic", "trap")] {
        let answer =
            bench.call("run_journey", journey(&format!("hostile/{misdeed}"))).await.refused("PLUGIN_FAULT", None);
        assert!(answer.elapsed < BOUNDED, "{misdeed}: {:?}", answer.elapsed);
        assert!(answer["/error/member"].as_str().unwrap().starts_with("steps[0]"), "{:#}", answer.structured);
        assert_fault(&answer["/error/message"], &format!("step.validate {misdeed}"), kind, "");
    }
    assert_eq!(bench.phone().journal().counters(), Counters::default());
    bench.call("run_journey", journey("hostile/two-reads")).await.succeeded();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_never_says_what_it_looks_for_costs_the_shared_read_alone() {
    let (_folder, bench) = bench().await;
    let steps = json!([
        { "id": "tap", "type": "tap", "selector": { "text": "Remember me" }, "verificationMode": "light" },
        { "id": "look", "type": "hostile/look-spin", "timeoutMs": 1_000 },
    ]);
    let answer = bench.call("run_journey", json!({ "platform": "android", "steps": steps })).await.fine();
    assert!(answer.elapsed < BOUNDED, "{:?}", answer.elapsed);
    assert_eq!(
        (&answer["/steps/0/status"], &answer["/steps/0/result/verification/status"]),
        (&json!("passed"), &json!("observed")),
        "{:#}",
        answer.structured
    );
    assert_eq!(
        answer["/steps/1/result/failure_code"], "INVALID_ARGUMENT",
        "it ran, and said no: {:#}",
        answer.structured
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_calls_a_million_times_or_holds_on_to_all_it_is_lent_ends_in_its_time() {
    let (_folder, bench) = bench().await;
    for (misdeed, passed) in [("million-calls", true), ("many-handles", false)] {
        let answer = bench.call("run_journey", journey(&format!("hostile/{misdeed}"))).await.fine();
        assert!(answer.elapsed < BOUNDED, "{misdeed}: {:?}", answer.elapsed);
        // On a slow machine a million calls may not fit its two seconds: then its time is up, and that is said.
        let ended = passed && answer["success"] == true;
        assert!(
            ended || ["TIMEOUT", "PLUGIN_FAULT"].contains(&answer["/steps/0/result/failure_code"].as_str().unwrap()),
            "{misdeed}: {:#}",
            answer.structured
        );
        // The lane may still wait for a read that its end cut short; the plugin itself is there.
        let mut next = journey("hostile/two-reads");
        next["steps"][0]["timeoutMs"] = json!(30_000);
        bench.call("run_journey", next).await.succeeded();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_reaches_no_other_device_and_no_tool_it_may_not_call() {
    let (_folder, bench) = bench().await;
    let answer = bench.call("run_journey", journey("hostile/device-override")).await.fine();
    let device = answer["/steps/0/result/shows/0/device/id"].clone();
    assert!(device.is_null() || device == json!(bench.device), "{:#}", answer.structured);
    // Its classifiers were asked about that tree, and are as hostile: another bench, without their quarantine.
    let (_folder, bench) = self::bench().await;
    let answer = bench.call("run_journey", journey("hostile/forbidden-tool")).await.fine();
    let code = answer["/steps/0/result/failure_code"].as_str().unwrap();
    assert!(["PLUGIN_DENIED", "INVALID_ARGUMENT"].contains(&code), "{:#}", answer.structured);
    assert!(bench.phone().journal().installs().is_empty());
}

fn tap(bench: &Bench, precondition: Value) -> Value {
    bench.aimed(json!({ "x": 540, "y": 1170, "verificationMode": "none", "precondition": precondition }))
}

#[track_caller]
fn assert_unavailable(answer: &Answer, reason: &str, misdeed: &str) {
    assert!(answer.elapsed < BOUNDED, "{misdeed}: {:?}", answer.elapsed);
    let shown = format!("{misdeed}: {:#}", answer.structured);
    assert_eq!(answer.code(), "PRECONDITION_UNAVAILABLE", "{shown}");
    assert_eq!(
        (&answer["/condition/status"], &answer["/condition/reason"]),
        (&json!("unavailable"), &json!(reason)),
        "{shown}"
    );
    assert_eq!(
        (&answer["dispatch_started"], &answer["delivery_status"]),
        (&json!(false), &json!("not_delivered")),
        "{shown}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_predicate_blocks_its_input() {
    let (_folder, bench) = bench().await;
    let own = [
        ("long-reason", "bad return", "at most 4096"),
        ("million-calls", "flood", "100000 host calls"),
        ("many-handles", "flood", "handles"),
    ];
    let mark = bench.mark();
    for (misdeed, kind, words) in COMMON.into_iter().chain(own) {
        let answer = bench.call("tap", tap(&bench, json!({ "predicate": format!("hostile/{misdeed}") }))).await.fine();
        assert_unavailable(&answer, "PREDICATE_FAULT", misdeed);
        assert_eq!(
            (&answer["/checks/0/predicate"], &answer["/checks/0/verdict"]),
            (&json!(format!("hostile/{misdeed}")), &json!("fault")),
            "{misdeed}"
        );
        assert_fault(&answer["/checks/0/reason"], &format!("condition.check {misdeed}"), kind, words);
        // An honest "cannot tell" is no fault, and ends the row of them.
        for answered in ["cannot-tell", "err"] {
            let answer =
                bench.call("tap", tap(&bench, json!({ "predicate": format!("hostile/{answered}") }))).await.fine();
            assert_unavailable(&answer, "PREDICATE_CANNOT_TELL", answered);
            assert_eq!(
                (&answer["/checks/0/verdict"], &answer["/checks/0/reason"]),
                (&json!("cannot_tell"), &json!("on purpose"))
            );
        }
    }
    mark.no_input("hostile predicates");
    mark.no_input_later(Duration::from_millis(300), "hostile predicates").await;
    let holds = json!({ "predicate": "element-visible", "args": { "selector": { "text": "Sign in" } } });
    bench.call("tap", tap(&bench, holds)).await.succeeded();
    mark.one_input("tap", "an honest predicate");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_combination_turns_a_fault_into_a_yes() {
    let (_folder, bench) = bench().await;
    let (fault, calm) = (json!({ "predicate": "hostile/panic" }), json!({ "predicate": "hostile/cannot-tell" }));
    let holds = json!({ "predicate": "element-visible", "args": { "selector": { "text": "Sign in" } } });
    let mark = bench.mark();
    for combined in
        [json!({ "not": fault }), json!({ "all": [holds, fault] }), json!({ "not": { "all": [holds, fault] } })]
    {
        let answer = bench.call("tap", tap(&bench, combined.clone())).await.fine();
        assert_unavailable(&answer, "PREDICATE_FAULT", &combined.to_string());
        bench.call("tap", tap(&bench, calm.clone())).await.fine();
    }
    mark.no_input("combinations");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_predicate_that_breaks_while_it_is_validated_is_refused_before_the_device() {
    let (_folder, bench) = bench().await;
    let answer = bench
        .call("tap", tap(&bench, json!({ "predicate": "hostile/validate-spin" })))
        .await
        .refused("PLUGIN_FAULT", Some("precondition"));
    assert!(answer.elapsed < BOUNDED, "{:?}", answer.elapsed);
    assert_fault(&answer["/error/message"], "condition.validate validate-spin", "deadline", "250 ms");
    assert_eq!(bench.phone().journal().counters(), Counters::default());
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_classifiers_are_left_out_and_named() {
    let (_folder, bench) = bench().await;
    let answer = bench.call("get_readiness", json!({})).await.fine();
    assert!(answer.elapsed < Duration::from_secs(20), "{:?}", answer.elapsed);
    assert_eq!(answer["/readiness/state"], "settled", "the honest ones decided: {:#}", answer.structured);
    let own = [
        ("long-reason", "flood", "1 MiB"),
        ("million-calls", "flood", "100000 host calls"),
        ("many-handles", "flood", "handles"),
    ];
    let voices = answer["/readiness/classifiers"].as_array().unwrap();
    let limitations = answer["/readiness/limitations"].as_array().unwrap();
    for (misdeed, kind, words) in COMMON.into_iter().chain(own) {
        let name = format!("hostile/{misdeed}");
        let voice = voices.iter().find(|voice| voice["name"] == name.as_str()).unwrap();
        assert_eq!((&voice["state"], &voice["error"]["code"]), (&Value::Null, &json!("PLUGIN_FAULT")), "{voice:#}");
        assert_fault(&voice["error"]["message"], &format!("readiness.classify {misdeed}"), kind, words);
        assert!(limitations.contains(&json!(format!("classifier_left_out: {name}"))), "{limitations:#?}");
    }
    let honest = voices.iter().find(|voice| voice["name"] == "stability").unwrap();
    assert_eq!(honest["state"], "settled");
    // More than three faults in a row: left alone from now on, and readiness is told all the same, and faster.
    let answer = bench.call("wait_for_readiness", json!({})).await.succeeded();
    let voice = answer["/readiness/classifiers"]
        .as_array()
        .unwrap()
        .iter()
        .find(|voice| voice["name"] == "hostile/spin")
        .unwrap()
        .clone();
    assert!(voice["error"]["message"].as_str().unwrap().contains("quarantined"), "{voice:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn three_faults_in_a_row_quarantine_a_plugin() {
    let (_folder, bench) = bench().await;
    for faults in 1..=3 {
        let before = shown(&bench, "hostile").await;
        assert_eq!(
            (&before["state"], &before["faults"]["in_a_row"]),
            (&json!("ready"), &json!(faults - 1)),
            "{before:#}"
        );
        bench.call("run_journey", journey("hostile/panic")).await.fine();
    }
    let plugin = shown(&bench, "hostile").await;
    assert_eq!(
        (&plugin["state"], &plugin["faults"]["total"]),
        (&json!("quarantined"), &json!(3)),
        "{:#}",
        plugin["faults"]
    );
    let left = plugin["faults"]["retry_in_ms"].as_u64().unwrap();
    assert!(left > 10_000 && left <= 30_000, "{left}");
    assert_fault(&plugin["faults"]["last"], "step.run panic", "trap", "hostile on purpose");

    // What is harmless in it is left alone too, with the reason; everyone else works.
    let mark = bench.mark();
    let answer = bench.call("run_journey", journey("hostile/two-reads")).await;
    let told = if answer.is_error { &answer["/error"] } else { &answer["/steps/0/result/error"] };
    assert_eq!(told["code"], "PLUGIN_FAULT", "{:#}", answer.structured);
    assert!(told["message"].as_str().unwrap().contains("quarantined"), "{told:#}");
    assert!(mark.dumps().is_empty(), "{:#?}", mark.dumps());
    let answer = bench.call("tap", tap(&bench, json!({ "predicate": "hostile/cannot-tell" }))).await;
    assert_eq!(answer.code(), "PLUGIN_FAULT", "{:#}", answer.structured);
    mark.no_input("a quarantined predicate");
    bench.call("tap_element", json!({ "selector": { "text": "Sign in" } })).await.succeeded();
}
