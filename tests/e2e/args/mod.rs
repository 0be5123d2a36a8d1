//! Arguments that are refused: what the refusal names, and that no adb was even started for it.

mod clamped;
mod guards;
mod journeys;
mod lines;
mod schemas;
mod shapes;

use serde_json::{Value, json};
use simphone::Counters;

use crate::support::{Answer, Bench, Flavor};

/// One refused call: the tool, its arguments, the member the refusal names, and a name it offers instead.
pub(crate) struct Refusal {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
    pub(crate) member: &'static str,
    pub(crate) meant: Option<&'static str>,
}

/// A refusal that offers nothing.
pub(crate) fn refusal(tool: &'static str, arguments: Value, member: &'static str) -> Refusal {
    Refusal { tool, arguments, member, meant: None }
}

/// A refusal with a did-you-mean.
pub(crate) fn meant(tool: &'static str, arguments: Value, member: &'static str, meant: &'static str) -> Refusal {
    Refusal { tool, arguments, member, meant: Some(meant) }
}

/// The refusal is whole: code, member, message, remedy, and nothing of an answer.
#[track_caller]
pub(crate) fn assert_refused(answer: Answer, member: &str, case: &str) -> Answer {
    assert!(answer.is_error, "{case}: not refused: {:#}", answer.structured);
    assert_eq!(answer["/error/code"], "INVALID_ARGUMENT", "{case}: {:#}", answer.structured);
    assert_eq!(answer["/error/member"], member, "{case}: {:#}", answer.structured);
    for told in ["/error/message", "/error/remedy"] {
        assert!(
            answer[told].as_str().is_some_and(|text| !text.is_empty()),
            "{case}: {told} of {:#}",
            answer.structured
        );
    }
    // An input says besides that nothing was sent.
    if answer.members() != ["error", "timing"] {
        let sent =
            [&answer["success"], &answer["dispatch_started"], &answer["delivery_status"], &answer["failure_code"]];
        assert_eq!(sent, [&json!(false), &json!(false), &json!("not_delivered"), &json!("INVALID_ARGUMENT")], "{case}");
    }
    answer
}

/// Makes every call of a table on one server; not one of them may get as far as adb.
pub(crate) async fn refuses(table: Vec<Refusal>) {
    let bench = Bench::new("login", Flavor::StandIn).await;
    for Refusal { tool, arguments, member, meant } in table {
        let case = format!("{tool} {arguments}");
        let answer = assert_refused(bench.call(tool, arguments).await, member, &case);
        match meant {
            Some(meant) => {
                let offered = answer["/error/candidates"].as_array().cloned().unwrap_or_default();
                assert!(offered.len() <= 5 && offered.contains(&json!(meant)), "{case}: {:#}", answer.structured);
            }
            None => assert!(!answer.has("/error/candidates"), "{case}: {:#}", answer.structured),
        }
    }
    untouched(&bench);
    bench.call("get_ui_tree", json!({})).await.fine();
}

/// The stand-in connects to its phone whatever it is asked: no connection means that adb was never started.
#[track_caller]
pub(crate) fn untouched(bench: &Bench) {
    assert_eq!(bench.phone().journal().counters(), Counters::default(), "{:#?}", bench.phone().journal().services());
}
