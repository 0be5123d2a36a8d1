//! Saying which element is meant.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The contract's selector: which element is meant. Its members narrow each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    description = "Which element: at least one of text, resource_id, accessibility_id, role, state."
)]
#[non_exhaustive]
pub struct Selector {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[allow(
        missing_docs,
        reason = "doc comments would swell every schema that holds a selector"
    )]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[allow(missing_docs, reason = "as above")]
    pub resource_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[allow(missing_docs, reason = "as above")]
    pub accessibility_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[allow(missing_docs, reason = "as above")]
    pub contains: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[allow(missing_docs, reason = "as above")]
    pub role: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[allow(missing_docs, reason = "as above")]
    pub state: Option<States>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    #[allow(missing_docs, reason = "as above")]
    pub within: Option<Box<Selector>>,
}

/// States an element must have, or must not have, to be meant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = "")]
pub struct States {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[allow(missing_docs, reason = "as above")]
    pub checked: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[allow(missing_docs, reason = "as above")]
    pub selected: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[allow(missing_docs, reason = "as above")]
    pub focused: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[allow(missing_docs, reason = "as above")]
    pub expanded: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[allow(missing_docs, reason = "as above")]
    pub enabled: Option<bool>,
}

impl Selector {
    /// The element whose text is `text`, ignoring case and surrounding space.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: Some(text.into()),
            ..Self::default()
        }
    }

    /// The element whose text holds `text`.
    #[must_use]
    pub fn containing(text: impl Into<String>) -> Self {
        Self {
            contains: Some(true),
            ..Self::text(text)
        }
    }

    /// The element with this resource id: in full (`com.example:id/login`) or bare (`login`).
    #[must_use]
    pub fn resource_id(id: impl Into<String>) -> Self {
        Self {
            resource_id: Some(id.into()),
            ..Self::default()
        }
    }

    /// The element with this content description or accessibility label.
    #[must_use]
    pub fn accessibility_id(id: impl Into<String>) -> Self {
        Self {
            accessibility_id: Some(id.into()),
            ..Self::default()
        }
    }

    /// The same, of this role only.
    #[must_use]
    pub fn with_role(mut self, role: impl Into<String>) -> Self {
        self.role = Some(role.into());
        self
    }

    /// The same, in these states only.
    #[must_use]
    pub fn in_state(mut self, state: States) -> Self {
        self.state = Some(state);
        self
    }

    /// The same, inside what `outer` selects only.
    #[must_use]
    pub fn inside(mut self, outer: Selector) -> Self {
        self.within = Some(Box::new(outer));
        self
    }

    /// The selector as the door takes it.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// What is wrong with it: the path of the member below `path`, and why.
    #[must_use]
    pub fn violations(&self, path: &str) -> Vec<crate::Violation> {
        let named = [
            &self.text,
            &self.resource_id,
            &self.accessibility_id,
            &self.role,
        ];
        let mut found = Vec::new();
        let by_name = named
            .into_iter()
            .flatten()
            .any(|text| !text.trim().is_empty());
        let by_state = self
            .state
            .as_ref()
            .is_some_and(|state| *state != States::default());
        if !by_name && !by_state {
            found.push(crate::violation(
                path,
                "needs a non-empty text, resource_id, accessibility_id, role or state",
            ));
        }
        if let Some(within) = &self.within {
            found.extend(within.violations(&format!("{path}.within")));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_holds_only_what_was_said() {
        let selector = Selector::containing("Sign").inside(Selector::resource_id("form"));
        assert_eq!(
            selector.to_json(),
            r#"{"text":"Sign","contains":true,"within":{"resource_id":"form"}}"#
        );
    }

    #[test]
    fn violations_name_the_member() {
        let selector = Selector::text(" ").inside(Selector::default());
        let paths: Vec<_> = selector
            .violations("selector")
            .into_iter()
            .map(|v| v.path)
            .collect();
        assert_eq!(paths, ["selector", "selector.within"]);
        assert!(Selector::text("ok").violations("selector").is_empty());
    }
}
