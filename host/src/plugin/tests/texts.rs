//! Texts, names and schemas from guests.

use serde_json::json;

use crate::plugin::evidence::{clean, clean_json, is_kebab};
use crate::plugin::names::nearest;
use crate::plugin::schema::Arguments;

#[test]
fn escapes_and_controls_are_left_out() {
    let cases = [
        ("plain", "plain"),
        ("\u{1b}[31mred\u{1b}[0m", "red"),
        ("\u{1b}]0;title\u{7}after", "after"),
        ("\u{1b}]8;;http://x\u{1b}\\link", "link"),
        ("\u{1b}Pdcs\u{1b}\\x", "x"),
        ("a\nb\tc\r\n", "a b c"),
        ("a\u{0}b\u{7f}c\u{9b}d", "abcd"),
        ("\u{202e}gone\u{feff}", "gone"),
        ("\u{1b}", ""),
        ("\u{1b}[", ""),
        ("grüße 漢字 👍", "grüße 漢字 👍"),
    ];
    for (text, cleaned) in cases {
        assert_eq!(clean(text, 100), cleaned, "{text:?}");
    }
    assert_eq!(clean("ééé", 3), "é");
    assert_eq!(clean_json(json!({ "a\u{7}": ["x\ny\u{1b}[2J"] })), json!({ "a": ["x\ny"] }));
}

#[test]
fn names_are_kebab_case() {
    for good in ["a", "login-flow", "a1-2b"] {
        assert!(is_kebab(good), "{good}");
    }
    for bad in ["", "-a", "a-", "a--b", "A", "1a", "a_b", "a/b", "ä", &"a".repeat(65)] {
        assert!(!is_kebab(bad), "{bad}");
    }
}

#[test]
fn near_names_come_first() {
    let names = ["tap", "type_text", "swipe", "start_app", "press_back", "assert", "wait"];
    assert_eq!(nearest("tpa", names)[0], "tap");
    assert_eq!(nearest("start", names)[0], "start_app");
    assert!(nearest("completely-different", names).len() <= 5);
    assert_eq!(nearest("", []), Vec::<String>::new());
}

#[test]
fn schemas_that_cannot_be_shown_or_checked_are_refused() {
    let refused = [
        ("", "not JSON"),
        ("[]", "not an object"),
        (r#"{"properties":{}}"#, "\"type\": \"object\""),
        (r#"{"type":"object","oneOf":[]}"#, "\"oneOf\" at the root"),
        (r#"{"type":"object","if":{}}"#, "\"if\" at the root"),
        (r#"{"type":"object","properties":4}"#, "no JSON Schema"),
        (r#"{"type":"object","properties":{"a":{"$ref":"http://example.com/x"}}}"#, "refers to"),
        (r#"{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}"#, "refers to"),
        (r##"{"type":"object","$ref":"#"}"##, "without end"),
        (
            r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"}]}}}"##,
            "without end",
        ),
        (
            r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
            "without end",
        ),
        (r##"{"type":"object","properties":{"a":{"$dynamicRef":"#x"}}}"##, "$dynamicRef"),
    ];
    for (schema, says) in refused {
        let why = Arguments::compile(schema).expect_err(schema);
        assert!(why.contains(says), "{schema}: {why}");
    }
    assert!(
        Arguments::compile(&format!("{{\"type\":\"object\",\"description\":\"{}\"}}", "x".repeat(20_000))).is_err()
    );
}

#[test]
fn a_schema_may_refer_to_itself_through_a_member() {
    let schema = r##"{"type":"object","properties":{"within":{"$ref":"#"},"text":{"type":"string"}},"additionalProperties":false}"##;
    let arguments = Arguments::compile(schema).unwrap();
    arguments.check(&json!({ "within": { "within": { "text": "x" } } })).unwrap();
    let failure = arguments.check(&json!({ "within": { "within": { "text": 4 } } })).unwrap_err();
    assert_eq!(failure.member.as_deref(), Some("within.within.text"));
}
