//! Arguments that several steps take. They are checked here and handed on as they came.

#![expect(dead_code, reason = "read to be checked, then handed on as they came")]

use handset_plugin::{Selector, Violation, violation};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// How an input is verified.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum VerificationMode {
    None,
    Light,
    Full,
}

/// Milliseconds that the host clamps: any finite integer.
pub struct Clamped;

impl<'de> Deserialize<'de> for Clamped {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(input)?;
        if number.fract() != 0.0 || !number.is_finite() {
            return Err(D::Error::custom("milliseconds are a finite integer"));
        }
        Ok(Self)
    }
}

impl JsonSchema for Clamped {
    fn schema_name() -> Cow<'static, str> {
        "Milliseconds".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer" })
    }
}

/// Makes an input depend on the screen being the one of an earlier snapshot.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ExpectedState {
    #[schemars(length(min = 1))]
    snapshot_session_id: String,
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    snapshot_revision: u64,
    #[schemars(range(min = 100, max = 60_000))]
    timeout_ms: Option<u32>,
}

impl ExpectedState {
    pub fn violations(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        if self.snapshot_session_id.trim().is_empty() {
            found.push(violation(
                "expectedState.snapshotSessionId",
                "must not be empty",
            ));
        }
        found
    }
}

/// A precondition: one predicate, or several combined.
///
/// Which predicates there are and what they take is the host's to check.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct Precondition(Map<String, Value>);

impl JsonSchema for Precondition {
    fn schema_name() -> Cow<'static, str> {
        "Precondition".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "description": "{predicate, args, timeoutMs}, {all: […]}, {any: […]} or {not: …}"
        })
    }
}

impl Precondition {
    pub fn violations(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        let mut open = vec![("precondition".to_owned(), &self.0)];
        while let Some((path, node)) = open.pop() {
            let forms = ["predicate", "all", "any", "not"];
            let given: Vec<_> = forms
                .into_iter()
                .filter(|form| node.contains_key(*form))
                .collect();
            let [form] = given[..] else {
                found.push(violation(
                    path,
                    "takes exactly one of predicate, all, any, not",
                ));
                continue;
            };
            let inner = &node[form];
            let below = format!("{path}.{form}");
            match (form, inner) {
                ("predicate", Value::String(_)) | ("not", Value::Object(_)) => {}
                ("predicate", _) => found.push(violation(&below, "is a predicate's name")),
                ("not", _) => found.push(violation(&below, "is a precondition")),
                (_, Value::Array(list)) if !list.is_empty() => {}
                _ => found.push(violation(&below, "is a list of preconditions, not empty")),
            }
            if let ("not", Value::Object(node)) = (form, inner) {
                open.push((below.clone(), node));
            }
            for (position, item) in inner.as_array().into_iter().flatten().enumerate() {
                let path = format!("{below}.{position}");
                match item {
                    Value::Object(node) => open.push((path, node)),
                    _ => found.push(violation(path, "is a precondition")),
                }
            }
        }
        found
    }
}

/// Says what is wrong with the guards of an input.
pub fn guard_violations(
    expected: Option<&ExpectedState>,
    precondition: Option<&Precondition>,
) -> Vec<Violation> {
    let expected = expected.into_iter().flat_map(ExpectedState::violations);
    let precondition = precondition.into_iter().flat_map(Precondition::violations);
    expected.chain(precondition).collect()
}

/// Waits for the target before it is resolved.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct WaitFor {
    /// Exists unless given.
    condition: Option<WaitForCondition>,
    /// 1500 unless given.
    #[schemars(range(min = 100, max = 10_000))]
    timeout_ms: Option<u32>,
    /// 100 unless given.
    #[schemars(range(min = 50, max = 1_000))]
    poll_interval_ms: Option<u32>,
    #[serde(rename = "match")]
    matched: Option<MatchIndex>,
}

/// What is waited for.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WaitForCondition {
    Exists,
    Visible,
    Clickable,
}

/// Which of several matches is meant.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatchIndex {
    index: u32,
}

/// Says what is wrong when not exactly one target is given, or its selector is empty.
pub fn one_target(
    path: &str,
    selector: Option<&Selector>,
    element_id: Option<&str>,
) -> Vec<Violation> {
    let below = |member: &str| match path {
        "" => member.to_owned(),
        _ => format!("{path}.{member}"),
    };
    match (selector, element_id) {
        (Some(selector), None) => selector.violations(&below("selector")),
        (None, Some(id)) if !id.trim().is_empty() => Vec::new(),
        (None, Some(_)) => vec![violation(below("elementId"), "must not be empty")],
        (Some(_), Some(_)) => {
            vec![violation(
                below("elementId"),
                "takes selector or elementId, not both",
            )]
        }
        (None, None) => vec![violation(below("selector"), "needs selector or elementId")],
    }
}

/// Says what is wrong when a text is empty.
pub fn not_empty(path: &str, text: &str) -> Vec<Violation> {
    let empty = text.trim().is_empty();
    empty
        .then(|| violation(path, "must not be empty"))
        .into_iter()
        .collect()
}
