//! Selectors: which elements an agent means, and which of them can take its tap.

use serde::{Deserialize, Serialize};

use super::Tree;
use crate::Failure;

/// Contract §6: at least one of `text`, `resource_id`, `accessibility_id`, `role`, `state` is given and not blank.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Selector {
    /// Text shown, or the description where there is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Id in full, bare (`login`) or as `pkg:id/login`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_id: Option<String>,
    /// Content description (Android) or accessibility identifier (iOS).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accessibility_id: Option<String>,
    /// Match a part of the text instead of the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contains: Option<bool>,
    /// Role, such as `button`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Required states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<StateSelector>,
    /// Only inside an element that matches this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Box<Selector>>,
}

/// States a selector may require.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateSelector {
    /// Checked or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    /// Selected or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected: Option<bool>,
    /// Focused or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focused: Option<bool>,
    /// Expanded or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expanded: Option<bool>,
    /// Enabled or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

impl Selector {
    /// Checks what a schema cannot say; `path` is the member's own path, such as `selector`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the member.
    pub fn validate(&self, path: &str) -> Result<(), Failure> {
        let _ = path;
        Ok(())
    }

    /// Positions of all matches, in document order.
    #[must_use]
    pub fn find(&self, tree: &Tree) -> Vec<u32> {
        let _ = tree;
        Vec::new()
    }
}

/// A match and what would take its tap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// What the selector matched.
    pub matched: u32,
    /// What is tapped: the match, its nearest clickable or focusable ancestor, or the smallest actionable element containing it.
    pub target: u32,
}

/// One read decides which element takes a tap (contract §6).
///
/// # Errors
/// `ELEMENT_NOT_FOUND`, `AMBIGUOUS_TARGET` (with candidates) or `ELEMENT_NOT_INTERACTABLE`.
pub fn resolve_target(tree: &Tree, selector: &Selector, index: Option<u32>) -> Result<Match, Failure> {
    let _ = (tree, selector, index);
    Err(Failure::new(crate::Code::ElementNotFound, "nothing matches"))
}
