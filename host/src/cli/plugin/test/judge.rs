//! Whether what came is what was expected, member by member.

use serde_json::Value;

use super::case::Expect;
use super::run::Got;

/// What was expected and did not come, one sentence each; empty when all of it came.
pub(super) fn differences(expect: &Expect, got: &Got) -> Vec<String> {
    let mut found = Vec::new();
    let passed = expect.passed.map(|passed| if passed { "passed" } else { "failed" });
    let words = [expect.verdict.as_deref(), expect.state.as_deref(), passed];
    if let Some(word) = words.into_iter().flatten().next().filter(|word| *word != got.word) {
        found.push(format!("expected {word}, got {}", got.word));
    }
    if let Some(part) = &expect.fault {
        if got.word != "fault" {
            found.push(format!("expected a fault, got {}", got.word));
        } else if !holds(&got.says, part) && !holds(&got.output, part) {
            found.push(format!("the fault does not say {part:?}"));
        }
    }
    if let Some(code) = expect.failure_code.as_ref().filter(|code| Some(*code) != got.code.as_ref()) {
        found.push(format!("expected {code}, got {}", got.code.as_deref().unwrap_or("no failure code")));
    }
    if let Some(part) = expect.says.as_ref().filter(|part| !holds(&got.says, part)) {
        found.push(format!("it does not say {part:?}, but {:?}", got.says.as_deref().unwrap_or_default()));
    }
    for signal in expect.evidence.iter().filter(|signal| !got.evidence.contains(signal)) {
        found.push(format!("no evidence {signal:?} among {:?}", got.evidence));
    }
    if let Some(body) = &expect.body {
        within("body", body, &got.body, &mut found);
    }
    found
}

fn holds(text: &Option<String>, part: &str) -> bool {
    text.as_ref().is_some_and(|text| text.contains(part))
}

/// Objects may have more members than expected; all else is equal.
fn within(path: &str, expected: &Value, got: &Value, found: &mut Vec<String>) {
    match (expected, got) {
        (Value::Object(members), Value::Object(there)) => {
            for (name, value) in members {
                within(&format!("{path}.{name}"), value, there.get(name).unwrap_or(&Value::Null), found);
            }
        }
        _ if expected == got => {}
        _ => found.push(format!("{path}: expected {expected}, got {got}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_member_expected_is_looked_at() {
        let expect = Expect {
            passed: Some(true),
            failure_code: Some("TIMEOUT".into()),
            says: Some("greeting".into()),
            evidence: vec!["label".into()],
            body: Some(json!({ "a": { "b": 1 } })),
            fault: Some("boom".into()),
            ..Expect::default()
        };
        let nothing = Got { word: "failed".into(), body: json!({ "a": { "b": 2, "c": 3 } }), ..Got::default() };
        let found = differences(&expect, &nothing);
        assert_eq!(found.len(), 6, "{found:?}");
        assert!(found.iter().any(|one| one == "body.a.b: expected 1, got 2"), "{found:?}");
    }

    #[test]
    fn more_than_was_expected_is_fine() {
        let expect = Expect { verdict: Some("holds".into()), evidence: vec!["a".into()], ..Expect::default() };
        let got = Got { word: "holds".into(), evidence: vec!["b".into(), "a".into()], ..Got::default() };
        assert!(differences(&expect, &got).is_empty());
    }

    #[test]
    fn a_fault_says_its_text_in_its_message_or_in_what_the_guest_wrote() {
        let expect = Expect { fault: Some("division".into()), ..Expect::default() };
        let got = |output: &str| Got { word: "fault".into(), output: Some(output.into()), ..Got::default() };
        assert!(differences(&expect, &got("Traceback\nZeroDivisionError: division by zero")).is_empty());
        assert_eq!(differences(&expect, &got("KeyError")), ["the fault does not say \"division\""]);
    }
}
