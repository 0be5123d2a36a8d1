//! Waiting for a property of an element to have a value.

use std::sync::Arc;

use handset_model::snapshot::Observation;
use handset_model::ui::Element;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Condition, ElementWait, Pace, Reads, Wanted};
use crate::device::Screens;

/// Satisfying reads that decide a state (contract §8).
pub const NEEDED: u32 = 2;

/// Properties of `expect_state` (shapes.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are the contract's own")]
pub enum Property {
    Checked,
    Selected,
    Focused,
    Expanded,
    Enabled,
    TextValue,
    Value,
    RawValue,
}

/// What is expected of which element.
#[derive(Clone, Debug)]
pub struct StateWait {
    /// Which element.
    pub wanted: Wanted,
    /// Which property.
    pub property: Property,
    /// The value it must have.
    pub expected: Value,
}

/// How it ended.
#[derive(Clone, Debug, Default)]
pub struct StateEnd {
    /// Held in two consecutive reads.
    pub satisfied: bool,
    /// The last successful read.
    pub last: Option<Arc<Observation>>,
    /// The one element it is about, there.
    pub element: Option<u32>,
    /// Its value; `None` where the platform exposes none.
    pub value: Option<Value>,
    /// Matches in the last read.
    pub matched: u32,
    /// Consecutive satisfying reads at the end.
    pub confirmed: u32,
    /// Milliseconds between the two that decided.
    pub window_ms: f64,
}

/// The value of a property where the platform exposes it. A state a control of this kind does not have is `None`.
#[must_use]
pub fn observed_state(element: &Element, property: Property) -> Option<Value> {
    let traits = &element.traits;
    match property {
        Property::Checked => (traits.checkable || traits.checked).then(|| json!(traits.checked)),
        Property::Selected => Some(json!(traits.selected)),
        Property::Focused => Some(json!(traits.focused)),
        Property::Expanded => traits.expanded.map(|expanded| json!(expanded)),
        Property::Enabled => Some(json!(traits.enabled)),
        Property::TextValue => match &element.text {
            Some(text) => Some(json!(text)),
            None if traits.password => None,
            None => Some(json!("")),
        },
        Property::Value => element.value.map(|value| json!(value)),
        Property::RawValue => {
            element.value.map(|value| json!(value)).or_else(|| element.text.as_ref().map(|text| json!(text)))
        }
    }
}

/// Texts compare trimmed, numbers as numbers, everything else exactly.
fn equal(observed: &Value, expected: &Value) -> bool {
    match (observed, expected) {
        (Value::String(a), Value::String(b)) => a.trim() == b.trim(),
        (Value::Number(a), Value::Number(b)) => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= f64::EPSILON * a.abs().max(b.abs()).max(1.0),
            _ => a == b,
        },
        _ => observed == expected,
    }
}

/// Reads until the property had the value in two consecutive reads, or the series ended.
pub async fn wait_for_state(reads: &mut Reads<'_>, screens: &Screens, wait: &StateWait) -> StateEnd {
    let finder = ElementWait { wanted: wait.wanted.clone(), condition: Condition::Exists, index: None, needed: 1 };
    let mut end = StateEnd::default();
    let mut first_ms = 0.0;
    loop {
        let pace = if end.confirmed > 0 { Pace::AtOnce } else { Pace::Interval };
        let Some(observation) = reads.next(pace).await else { return end };
        let verdict = finder.judge(screens, &observation);
        end.matched = verdict.matched;
        // Several matches: which one is meant is not known, so no value is.
        let element = verdict.element.filter(|_| verdict.matched == 1);
        let value = element
            .and_then(|index| observation.tree.get(index))
            .and_then(|element| observed_state(element, wait.property));
        if value.as_ref().is_some_and(|value| equal(value, &wait.expected)) {
            if end.confirmed == 0 {
                first_ms = observation.captured_ms;
            }
            end.confirmed += 1;
            end.window_ms = observation.captured_ms - first_ms;
        } else {
            end.confirmed = 0;
            end.window_ms = 0.0;
        }
        (end.last, end.element, end.value) = (Some(observation), element, value);
        if end.confirmed >= NEEDED {
            end.satisfied = true;
            return end;
        }
    }
}
