//! `assert`: what must be true for the journey to go on.

use crate::args::{not_empty, one_target};
use crate::outcome::{assertion_code, failure_code};
use handset_plugin::{
    Answer, Condition, Failure, Look, Report, Selector, Session, Step, Violation, Wait, code,
    violation,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;

const TIMEOUT_MS: u32 = 5_000;
const POLL_INTERVAL_MS: u32 = 100;

/// What is asserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    ElementVisible,
    ElementAbsent,
    ScreenFingerprint,
    StateEquals,
}

/// A boolean, number or string.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Expected(Value);

impl JsonSchema for Expected {
    fn schema_name() -> Cow<'static, str> {
        "Expected".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["boolean", "number", "string"] })
    }
}

/// The properties `state_equals` knows.
const PROPERTIES: &[&str] = &[
    "checked",
    "selected",
    "focused",
    "expanded",
    "enabled",
    "text_value",
    "value",
    "raw_value",
];

/// An assertion and its members, of which each kind takes its own.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(
    description = "element_visible, element_absent: selector. screen_fingerprint: fingerprint. state_equals: property, expected and exactly one of selector and elementId."
)]
pub struct Assertion {
    kind: Kind,
    selector: Option<Selector>,
    element_id: Option<String>,
    fingerprint: Option<String>,
    property: Option<String>,
    expected: Option<Expected>,
}

/// The arguments of `assert`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(description = "")]
pub struct Assert {
    assertion: Assertion,
    /// 5000 unless given.
    #[schemars(range(min = 100, max = 60_000))]
    timeout_ms: Option<u32>,
    /// 100 unless given.
    #[schemars(range(min = 50, max = 1_000))]
    poll_interval_ms: Option<u32>,
}

impl Step for Assert {
    const NAME: &str = "assert";
    const SUMMARY: &str = "Asserts something of the screen; passes when it comes true in time.";

    fn validate(&self) -> Vec<Violation> {
        let it = &self.assertion;
        let mut found = it.irrelevant();
        match it.kind {
            Kind::ElementVisible | Kind::ElementAbsent => match &it.selector {
                Some(selector) => found.extend(selector.violations("assertion.selector")),
                None => found.push(violation("assertion.selector", "is needed")),
            },
            Kind::ScreenFingerprint => match &it.fingerprint {
                Some(print) => found.extend(not_empty("assertion.fingerprint", print)),
                None => found.push(violation("assertion.fingerprint", "is needed")),
            },
            Kind::StateEquals => {
                let id = it.element_id.as_deref();
                found.extend(one_target("assertion", it.selector.as_ref(), id));
                found.extend(it.wrong_expectation());
            }
        }
        found
    }

    fn first_look(&self) -> Option<Look> {
        let selector = self.assertion.selector.as_ref()?;
        (self.assertion.kind == Kind::ElementVisible)
            .then(|| Look::new(selector, Condition::Visible))
    }

    fn run(self, session: &Session) -> Result<Report, Failure> {
        match self.assertion.kind {
            Kind::ElementVisible => self.element_visible(session),
            Kind::ElementAbsent => self.element_absent(session),
            Kind::ScreenFingerprint => self.screen_fingerprint(session),
            Kind::StateEquals => self.state_equals(session),
        }
    }
}

impl Assertion {
    /// The members that are given but belong to other kinds.
    fn irrelevant(&self) -> Vec<Violation> {
        let takes: &[&str] = match self.kind {
            Kind::ElementVisible | Kind::ElementAbsent => &["selector"],
            Kind::ScreenFingerprint => &["fingerprint"],
            Kind::StateEquals => &["selector", "elementId", "property", "expected"],
        };
        [
            ("selector", self.selector.is_some()),
            ("elementId", self.element_id.is_some()),
            ("fingerprint", self.fingerprint.is_some()),
            ("property", self.property.is_some()),
            ("expected", self.expected.is_some()),
        ]
        .into_iter()
        .filter(|(name, given)| *given && !takes.contains(name))
        .map(|(name, _)| violation(format!("assertion.{name}"), "does not belong to this kind"))
        .collect()
    }

    fn wrong_expectation(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        let property = self.property.as_deref();
        match property {
            None => found.push(violation("assertion.property", "is needed")),
            Some(name) if !PROPERTIES.contains(&name) => found.push(violation(
                "assertion.property",
                format!("is one of {}", PROPERTIES.join(", ")),
            )),
            Some(_) => {}
        }
        let Some(Expected(expected)) = &self.expected else {
            found.push(violation("assertion.expected", "is needed"));
            return found;
        };
        let wrong = match property {
            Some("text_value") if !expected.is_string() => "text_value is a string",
            Some("value") if !expected.is_number() => "value is a number",
            Some("checked" | "selected" | "focused" | "expanded" | "enabled")
                if !expected.is_boolean() =>
            {
                "this property is true or false"
            }
            _ => return found,
        };
        found.push(violation("assertion.expected", wrong));
        found
    }
}

impl Assert {
    fn timeout_ms(&self) -> u32 {
        self.timeout_ms.unwrap_or(TIMEOUT_MS)
    }

    fn poll_interval_ms(&self) -> u32 {
        self.poll_interval_ms.unwrap_or(POLL_INTERVAL_MS)
    }

    fn element_visible(&self, session: &Session) -> Result<Report, Failure> {
        let arguments = json!({
            "selector": self.assertion.selector,
            "timeout_ms": self.timeout_ms(),
            "poll_interval_ms": self.poll_interval_ms(),
        });
        self.decide(
            session.call_json("expect_element_visible", &arguments.to_string()),
            "no match became visible",
        )
    }

    fn element_absent(&self, session: &Session) -> Result<Report, Failure> {
        let arguments = json!({
            "selector": self.assertion.selector,
            "condition": "not_exists",
            "timeout_ms": self.timeout_ms(),
            "poll_interval_ms": self.poll_interval_ms(),
        });
        self.decide(
            session.call_json("wait_for_ui", &arguments.to_string()),
            "the element did not go away",
        )
    }

    fn state_equals(&self, session: &Session) -> Result<Report, Failure> {
        let mut arguments = json!({
            "property": self.assertion.property,
            "expected": self.assertion.expected,
            "timeout_ms": self.timeout_ms(),
            "poll_interval_ms": self.poll_interval_ms(),
        });
        match (&self.assertion.selector, &self.assertion.element_id) {
            (Some(selector), _) => arguments["selector"] = json!(selector),
            (None, id) => arguments["element_id"] = json!(id),
        }
        self.decide(
            session.call_json("expect_state", &arguments.to_string()),
            "the state stayed another",
        )
    }

    fn screen_fingerprint(&self, session: &Session) -> Result<Report, Failure> {
        let wanted = self.assertion.fingerprint.as_deref().unwrap_or_default();
        let wait = Wait::for_ms(self.timeout_ms()).every_ms(self.poll_interval_ms());
        let kind = self.assertion.kind;
        match session.wait_for_screen(wanted, wait) {
            Ok(_) => Ok(Report::passed()
                .body(&json!({ "kind": kind, "expected": wanted, "observed": wanted }))),
            Err(failure) if assertion_code(&failure.code) == code::ASSERTION_TIMEOUT => {
                let last = session
                    .observe()
                    .ok()
                    .map(|screen| screen.info().fingerprint);
                Ok(Report::failed(code::ASSERTION_TIMEOUT, failure.message)
                    .body(&json!({ "kind": kind, "expected": wanted, "observed": last })))
            }
            Err(failure) => Err(failure),
        }
    }

    /// Passes on success; otherwise says what was seen last.
    fn decide(&self, answer: Result<Answer, Failure>, otherwise: &str) -> Result<Report, Failure> {
        let answer = answer.map_err(|failure| Failure {
            code: assertion_code(&failure.code).to_owned(),
            ..failure
        })?;
        let report = if answer.success {
            Report::passed()
        } else {
            let code = failure_code(&answer, code::ASSERTION_TIMEOUT);
            Report::failed(assertion_code(&code), otherwise)
        };
        Ok(report.body(&self.seen(&answer)).shows(&answer))
    }

    /// The last observed value or matched count, out of the answer.
    fn seen(&self, answer: &Answer) -> Value {
        let body: Value = answer.read().unwrap_or_default();
        let mut seen = json!({ "kind": self.assertion.kind });
        if let Some(state) = body.get("observed_state") {
            seen["expected"] = json!(self.assertion.expected);
            seen["observed"] = state.get("value").cloned().unwrap_or_default();
        }
        if let Some(count) = body.pointer("/observed/matched_count") {
            seen["matchedCount"] = count.clone();
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(assertion: Value) -> Vec<String> {
        let step: Assert =
            serde_json::from_value(json!({ "assertion": assertion })).expect("fits its type");
        step.validate()
            .into_iter()
            .map(|violation| violation.path)
            .collect()
    }

    #[test]
    fn each_kind_takes_its_own_members() {
        let selector = json!({ "text": "Welcome" });
        for assertion in [
            json!({ "kind": "element_visible", "selector": selector }),
            json!({ "kind": "element_absent", "selector": selector }),
            json!({ "kind": "screen_fingerprint", "fingerprint": "ab12" }),
            json!({ "kind": "state_equals", "selector": selector, "property": "checked", "expected": true }),
            json!({ "kind": "state_equals", "elementId": "e1", "property": "raw_value", "expected": 3 }),
        ] {
            assert!(paths(assertion.clone()).is_empty(), "{assertion}");
        }
    }

    #[test]
    fn what_does_not_belong_is_named() {
        let selector = json!({ "text": "Welcome" });
        let cases = [
            (
                json!({ "kind": "element_visible", "selector": selector, "fingerprint": "a" }),
                "assertion.fingerprint",
            ),
            (json!({ "kind": "element_absent" }), "assertion.selector"),
            (
                json!({ "kind": "screen_fingerprint", "fingerprint": " " }),
                "assertion.fingerprint",
            ),
            (
                json!({ "kind": "state_equals", "property": "checked", "expected": true }),
                "assertion.selector",
            ),
            (
                json!({ "kind": "state_equals", "selector": selector, "elementId": "e", "property": "checked", "expected": true }),
                "assertion.elementId",
            ),
            (
                json!({ "kind": "state_equals", "selector": selector, "property": "colour", "expected": true }),
                "assertion.property",
            ),
            (
                json!({ "kind": "state_equals", "selector": selector, "property": "checked", "expected": "on" }),
                "assertion.expected",
            ),
        ];
        for (assertion, path) in cases {
            assert_eq!(paths(assertion.clone()), [path], "{assertion}");
        }
    }

    #[test]
    fn only_visibility_is_looked_for_first() {
        let look = |kind: &str| {
            let arguments = json!({ "assertion": { "kind": kind, "selector": { "text": "A" } } });
            serde_json::from_value::<Assert>(arguments)
                .expect("fits its type")
                .first_look()
        };
        assert_eq!(
            look("element_visible").map(|look| look.selector).as_deref(),
            Some(r#"{"text":"A"}"#)
        );
        assert!(look("element_absent").is_none());
    }
}
