//! Arguments that several steps take.

use handset_plugin::{Selector, Violation, violation};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// How an input is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum VerificationMode {
    None,
    Light,
    Full,
}

/// Milliseconds that the host clamps: any finite integer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Clamped(i64);

/// Past every bound the host clamps to, and exact as a JSON number.
const FARTHEST: f64 = 9_007_199_254_740_991.0;

impl<'de> Deserialize<'de> for Clamped {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(input)?;
        if number.fract() != 0.0 || !number.is_finite() {
            return Err(D::Error::custom("milliseconds are a finite integer"));
        }
        Ok(Self(number.clamp(-FARTHEST, FARTHEST) as i64))
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
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ExpectedState {
    #[schemars(length(min = 1))]
    snapshot_session_id: String,
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    snapshot_revision: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 100, max = 60_000))]
    timeout_ms: Option<u32>,
}

impl ExpectedState {
    pub fn violations(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        if self.snapshot_session_id.trim().is_empty() {
            found.push(violation("expectedState.snapshotSessionId", "must not be empty"));
        }
        found
    }
}

/// A precondition: one predicate, or several combined.
///
/// Which predicates there are and what they take is the host's to check.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
            let given: Vec<_> = forms.into_iter().filter(|form| node.contains_key(*form)).collect();
            let [form] = given[..] else {
                found.push(violation(path, "takes exactly one of predicate, all, any, not"));
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

/// Waits for the target before it is resolved.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct WaitFor {
    condition: WaitForCondition,
    /// 1500 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 100, max = 10_000))]
    timeout_ms: Option<u32>,
    /// 100 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 50, max = 1_000))]
    poll_interval_ms: Option<u32>,
    #[serde(rename = "match", default, skip_serializing_if = "Option::is_none")]
    matched: Option<MatchIndex>,
}

/// What [`WaitFor`] waits for.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WaitForCondition {
    Exists,
    Visible,
    Clickable,
}

/// Which of several matches is meant.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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
            vec![violation(below("elementId"), "takes selector or elementId, not both")]
        }
        (None, None) => vec![violation(below("selector"), "needs selector or elementId")],
    }
}

/// Says what is wrong when a text is empty.
pub fn not_empty(path: &str, text: &str) -> Vec<Violation> {
    let empty = text.trim().is_empty();
    empty.then(|| violation(path, "must not be empty")).into_iter().collect()
}
