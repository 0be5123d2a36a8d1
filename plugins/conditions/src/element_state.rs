//! `element-state`: one element's property has the expected value.

use handset_plugin::{
    Comparison, Element, Evidence, Finding, Observation, Predicate, Selector, Traits, Violation,
    violation,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;

/// A property of an element's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Property {
    /// Ticked or on.
    Checked,
    /// Chosen among others.
    Selected,
    /// Has the input focus.
    Focused,
    /// Unfolded.
    Expanded,
    /// Can be used.
    Enabled,
    /// The text of a field.
    TextValue,
    /// The number of a control.
    Value,
    /// What the platform gave, as it gave it.
    RawValue,
}

/// A boolean, number or string.
#[derive(Debug, Deserialize)]
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

/// The arguments of `element-state`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = "The element, its property and the value it must have.")]
pub struct ElementState {
    selector: Selector,
    #[schemars(with = "PropertyName")]
    property: Property,
    expected: Expected,
}

/// The schema of [`Property`] as one list of names.
struct PropertyName;

impl JsonSchema for PropertyName {
    fn schema_name() -> Cow<'static, str> {
        "Property".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "enum": [
                "checked", "selected", "focused", "expanded", "enabled", "text_value", "value",
                "raw_value"
            ]
        })
    }
}

impl Predicate for ElementState {
    const NAME: &str = "element-state";
    const SUMMARY: &str =
        "Holds while the one element the selector means has the property's value.";

    fn validate(&self) -> Vec<Violation> {
        let mut found = self.selector.violations("selector");
        let expected = &self.expected.0;
        let wrong = match self.property {
            Property::TextValue if !expected.is_string() => "text_value is a string",
            Property::Value if !expected.is_number() => "value is a number",
            Property::RawValue if !expected.is_number() && !expected.is_string() => {
                "raw_value is a number or a string"
            }
            Property::TextValue | Property::Value | Property::RawValue => "",
            _ if !expected.is_boolean() => "this property is true or false",
            _ => "",
        };
        if !wrong.is_empty() {
            found.push(violation("expected", wrong));
        }
        found
    }

    fn check(self, screens: &Comparison) -> Result<Finding, String> {
        let screen = screens.current();
        let index = match screen.select(&self.selector).as_deref() {
            Err(reason) => return Ok(Finding::cannot_tell(reason.as_str())),
            Ok([]) => return Ok(Finding::cannot_tell("nothing matches the selector")),
            Ok([index]) => *index,
            Ok(several) => match only_visible(&screen, several) {
                Some(index) => index,
                None => return Ok(ambiguous(&screen, several)),
            },
        };
        let Some(element) = screen.element(index) else {
            return Err(format!("element {index} is gone from its own tree"));
        };
        let Some(observed) = read(self.property, &element, &screen.facts_of(index)) else {
            return Ok(
                Finding::cannot_tell("the platform does not expose this property here")
                    .evidence(Evidence::firm("property-not-exposed").at(&screen, index)),
            );
        };
        let detail = if element.traits.contains(Traits::PASSWORD) {
            "of a password field".to_owned()
        } else {
            observed.to_string()
        };
        let evidence = Evidence::firm("observed-state")
            .at(&screen, index)
            .detail(detail);
        let finding = if same(&observed, &self.expected.0) {
            Finding::holds()
        } else {
            Finding::fails("the property has another value")
        };
        Ok(finding.evidence(evidence))
    }
}

fn only_visible(screen: &Observation, matched: &[u32]) -> Option<u32> {
    let mut visible = matched.iter().filter(|&&index| screen.is_visible(index));
    let first = visible.next()?;
    visible.next().is_none().then_some(*first)
}

fn ambiguous(screen: &Observation, matched: &[u32]) -> Finding {
    let mut finding = Finding::cannot_tell(format!("{} elements match", matched.len()));
    for &index in matched.iter().take(crate::element_visible::MOST_EVIDENCE) {
        finding = finding.evidence(Evidence::firm("ambiguous-match").at(screen, index));
    }
    finding
}

/// The property's value, absent when the platform does not say.
///
/// What an element's JSON leaves out is false only where its traits say that the platform tells:
/// a thing that cannot be checked is not unchecked.
fn read(property: Property, element: &Element, facts: &Value) -> Option<Value> {
    let stated = |name: &str| facts.get("state")?.get(name).cloned();
    let has = |flag: Traits| element.traits.contains(flag);
    match property {
        Property::Checked if has(Traits::CHECKED) || has(Traits::CHECKABLE) => {
            Some(has(Traits::CHECKED).into())
        }
        Property::Checked => stated("checked"),
        Property::Selected => Some(has(Traits::SELECTED).into()),
        Property::Focused => Some(has(Traits::FOCUSED).into()),
        Property::Enabled => Some(has(Traits::ENABLED).into()),
        Property::Expanded if has(Traits::EXPANDED) => Some(true.into()),
        Property::Expanded => stated("expanded"),
        Property::TextValue if has(Traits::PASSWORD) => None,
        Property::TextValue => {
            stated("text_value").or_else(|| element.text.clone().map(Value::from))
        }
        Property::Value => element.value.map(Value::from).or_else(|| stated("value")),
        Property::RawValue if has(Traits::PASSWORD) => None,
        Property::RawValue => stated("raw_value"),
    }
}

fn same(observed: &Value, expected: &Value) -> bool {
    match (observed, expected) {
        (Value::String(a), Value::String(b)) => plain(a) == plain(b),
        (Value::Number(a), Value::Number(b)) => a
            .as_f64()
            .zip(b.as_f64())
            .is_some_and(|(a, b)| (a - b).abs() < 1e-6),
        (a, b) => a == b,
    }
}

/// Without surrounding space and invisible marks.
fn plain(text: &str) -> String {
    let marks = |c: &char| !matches!(c, '\u{feff}' | '\u{200b}' | '\u{200e}' | '\u{200f}');
    text.chars()
        .filter(marks)
        .collect::<String>()
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_compare_by_kind() {
        assert!(same(&json!(" On\u{200e}"), &json!("On")));
        assert!(same(&json!(0.3), &json!(0.1 + 0.2)));
        assert!(same(&json!(1), &json!(1.0)));
        assert!(!same(&json!("on"), &json!("On")));
        assert!(!same(&json!("1"), &json!(1)));
    }

    #[test]
    fn expected_must_fit_the_property() {
        let check = |property: &str, expected: Value| {
            let arguments =
                json!({ "selector": { "text": "x" }, "property": property, "expected": expected });
            let predicate: ElementState = serde_json::from_value(arguments).expect("fits its type");
            predicate
                .validate()
                .into_iter()
                .map(|v| v.path)
                .collect::<Vec<_>>()
        };
        assert!(check("checked", json!(true)).is_empty());
        assert!(check("raw_value", json!(3)).is_empty());
        assert_eq!(check("checked", json!("true")), ["expected"]);
        assert_eq!(check("value", json!("3")), ["expected"]);
        assert_eq!(check("text_value", json!(3)), ["expected"]);
    }
}
