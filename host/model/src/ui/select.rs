//! Selectors: which elements an agent means.

use serde::{Deserialize, Serialize};

use super::text::{matches, normalize};
use super::{Element, Tree};
use crate::Failure;

/// Contract §6: at least one of `text`, `resource_id`, `accessibility_id`, `role`, `state` is given and not blank.
///
/// Everything given must hold. Strings compare trimmed, ignoring case and invisible marks; blank ones count as not given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Selector {
    /// Text shown.
    ///
    /// Merged labels of Flutter and Compose are descriptions: use `accessibility_id` for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Full, bare (login) or pkg:id/login.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_id: Option<String>,
    /// Content description.
    ///
    /// The accessibility identifier on iOS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accessibility_id: Option<String>,
    /// Match a part instead of the whole.
    ///
    /// Of text, id and description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contains: Option<bool>,
    /// Such as button.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Required states.
    #[schemars(description = "")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<StateSelector>,
    /// Only inside a match of this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Box<Selector>>,
}

/// States a selector may require.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateSelector {
    /// Checked or not.
    #[schemars(description = "")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    /// Selected or not.
    #[schemars(description = "")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected: Option<bool>,
    /// Focused or not.
    #[schemars(description = "")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focused: Option<bool>,
    /// Expanded or not.
    #[schemars(description = "")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expanded: Option<bool>,
    /// Enabled or not.
    #[schemars(description = "")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

impl StateSelector {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn holds(&self, element: &Element) -> bool {
        let traits = &element.traits;
        let is = |wanted: Option<bool>, actual: bool| wanted.is_none_or(|wanted| wanted == actual);
        is(self.checked, traits.checked)
            && is(self.selected, traits.selected)
            && is(self.focused, traits.focused)
            && is(self.enabled, traits.enabled)
            // Not exposed is neither expanded nor collapsed.
            && (self.expanded.is_none() || self.expanded == traits.expanded)
    }
}

/// A selector's own members, ready to compare.
struct Wanted {
    text: Option<String>,
    resource_id: Option<String>,
    accessibility_id: Option<String>,
    role: Option<String>,
    state: StateSelector,
    part: bool,
}

impl Wanted {
    fn of(selector: &Selector) -> Self {
        let given = |member: &Option<String>| member.as_deref().map(normalize).filter(|value| !value.is_empty());
        Self {
            text: given(&selector.text),
            resource_id: given(&selector.resource_id),
            accessibility_id: given(&selector.accessibility_id),
            role: given(&selector.role),
            state: selector.state.unwrap_or_default(),
            part: selector.contains == Some(true),
        }
    }

    fn is_empty(&self) -> bool {
        let members = [&self.text, &self.resource_id, &self.accessibility_id, &self.role];
        members.into_iter().all(Option::is_none) && self.state.is_empty()
    }

    fn matches(&self, tree: &Tree, element: &Element) -> bool {
        let is = |wanted: &Option<String>, actual: Option<&str>| match (wanted, actual) {
            (None, _) => true,
            (Some(wanted), Some(actual)) => matches(actual, wanted, self.part),
            (Some(_), None) => false,
        };
        is(&self.text, element.text.as_deref())
            && is(&self.accessibility_id, element.description.as_deref())
            && self.role.as_ref().is_none_or(|role| element.role.is_some_and(|actual| matches(actual, role, false)))
            && self.state.holds(element)
            && self.resource_id.as_ref().is_none_or(|wanted| {
                element.resource_id.as_deref().is_some_and(|id| id_matches(id, wanted, self.part, tree, element))
            })
    }
}

/// In full, bare, or with the package put before an id that has none (Compose tags).
fn id_matches(id: &str, wanted: &str, part: bool, tree: &Tree, element: &Element) -> bool {
    if matches(id, wanted, part) {
        return true;
    }
    match (id.split_once(":id/"), wanted.split_once(":id/")) {
        // A bare id may hold the same sign again.
        (Some((_, bare)), _) => matches(bare, wanted, part),
        (None, Some((package, bare))) => {
            let root = tree.windows.get(element.window as usize).and_then(|window| window.package.as_deref());
            let own = element.package.as_deref().or(root);
            own.is_some_and(|own| matches(own, package, false)) && matches(id, bare, part)
        }
        _ => false,
    }
}

impl Selector {
    /// Checks what a schema cannot say; `path` is the member's own path, such as `selector`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the member.
    pub fn validate(&self, path: &str) -> Result<(), Failure> {
        let mut path = path.to_owned();
        for selector in self.chain() {
            if Wanted::of(selector).is_empty() {
                let message =
                    format!("{path} needs at least one non-empty text, resource_id, accessibility_id, role or state.");
                return Err(Failure::argument(path, message));
            }
            path.push_str(".within");
        }
        Ok(())
    }

    /// Positions of all matches, in document order.
    #[must_use]
    pub fn find(&self, tree: &Tree) -> Vec<u32> {
        let chain: Vec<&Self> = self.chain().collect();
        // From the outermost container inwards: who has an ancestor that matches so far?
        let mut inside: Option<Vec<bool>> = None;
        for selector in chain.into_iter().rev() {
            let wanted = Wanted::of(selector);
            let matching: Vec<bool> = (tree.elements.iter().enumerate())
                .map(|(index, element)| {
                    inside.as_ref().is_none_or(|inside| inside.get(index) == Some(&true))
                        && !wanted.is_empty()
                        && wanted.matches(tree, element)
                })
                .collect();
            inside = Some(matching);
            if std::ptr::eq(selector, self) {
                break;
            }
            inside = inside.map(|matching| below(tree, &matching));
        }
        let matching = inside.unwrap_or_default().into_iter().enumerate();
        matching.filter(|(_, matches)| *matches).filter_map(|(index, _)| u32::try_from(index).ok()).collect()
    }

    /// Itself and its containers, innermost first.
    fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |selector| selector.within.as_deref())
    }
}

/// Elements with an ancestor that is marked; parents come before their children.
fn below(tree: &Tree, marked: &[bool]) -> Vec<bool> {
    let mut inside = vec![false; tree.elements.len()];
    for (index, element) in tree.elements.iter().enumerate() {
        if let Some(parent) = element.parent.map(|parent| parent as usize).filter(|parent| *parent < index) {
            inside[index] = inside[parent] || marked.get(parent) == Some(&true);
        }
    }
    inside
}
