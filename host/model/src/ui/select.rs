//! Selectors: which elements an agent means, and which of them can take its tap.

use serde::{Deserialize, Serialize};

use super::text::{is_blank, matches, normalize};
use super::{Element, ElementView, Tree, element_json};
use crate::code::MAX_CANDIDATES;
use crate::{Code, Failure};

/// Contract §6: at least one of `text`, `resource_id`, `accessibility_id`, `role`, `state` is given and not blank.
///
/// Everything given must hold. Strings compare trimmed, ignoring case and invisible marks; blank ones count as not given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Selector {
    /// Text shown. Merged labels of Flutter and Compose are descriptions: use `accessibility_id` for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Id in full, bare (`login`) or as `pkg:id/login`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_id: Option<String>,
    /// Content description (Android) or accessibility identifier (iOS).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accessibility_id: Option<String>,
    /// Match a part of the text, id or description instead of the whole.
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
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
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
        let given = |member: &Option<String>| {
            member
                .as_deref()
                .map(normalize)
                .filter(|value| !value.is_empty())
        };
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
        let members = [
            &self.text,
            &self.resource_id,
            &self.accessibility_id,
            &self.role,
        ];
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
            && self.role.as_ref().is_none_or(|role| {
                element
                    .role
                    .is_some_and(|actual| matches(actual, role, false))
            })
            && self.state.holds(element)
            && self.resource_id.as_ref().is_none_or(|wanted| {
                element
                    .resource_id
                    .as_deref()
                    .is_some_and(|id| id_matches(id, wanted, self.part, tree, element))
            })
    }
}

/// In full, bare, or with the package put before an id that has none (Compose tags).
fn id_matches(id: &str, wanted: &str, part: bool, tree: &Tree, element: &Element) -> bool {
    if matches(id, wanted, part) {
        return true;
    }
    match (id.split_once(":id/"), wanted.split_once(":id/")) {
        (Some((_, bare)), None) => matches(bare, wanted, part),
        (None, Some((package, bare))) => {
            let root = tree
                .windows
                .get(element.window as usize)
                .and_then(|window| window.package.as_deref());
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
                let message = format!(
                    "{path} needs at least one non-empty text, resource_id, accessibility_id, role or state."
                );
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
                    inside
                        .as_ref()
                        .is_none_or(|inside| inside.get(index) == Some(&true))
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
        matching
            .filter(|(_, matches)| *matches)
            .filter_map(|(index, _)| u32::try_from(index).ok())
            .collect()
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
        if let Some(parent) = element
            .parent
            .map(|parent| parent as usize)
            .filter(|parent| *parent < index)
        {
            inside[index] = inside[parent] || marked.get(parent) == Some(&true);
        }
    }
    inside
}

/// A match and what would take its tap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// What the selector matched.
    pub matched: u32,
    /// What is tapped: the match, its nearest clickable or focusable ancestor, or the smallest actionable element containing it.
    pub target: u32,
}

impl Match {
    /// Where to tap: the middle of what can be seen of the match inside its target, so that a wide row
    /// is hit at its label and not at a switch in it; else the middle of what can be seen of the target.
    #[must_use]
    pub fn point(&self, tree: &Tree) -> Option<(i32, i32)> {
        let target = tree.get(self.target)?.visible_bounds;
        let both = tree
            .get(self.matched)
            .map(|matched| matched.visible_bounds.intersect(&target));
        [both, Some(target)]
            .into_iter()
            .flatten()
            .find(|bounds| !bounds.is_empty())
            .map(|bounds| bounds.center())
    }
}

/// One read decides which element takes a tap (contract §6).
///
/// Matches that resolve to one target are one match. Where some matches can be seen and others cannot,
/// only those that can be seen compete. `index` counts all matches in document order, as `wait_for_ui` does.
///
/// # Errors
/// `ELEMENT_NOT_FOUND`, `AMBIGUOUS_TARGET` (with candidates) or `ELEMENT_NOT_INTERACTABLE`.
pub fn resolve_target(
    tree: &Tree,
    selector: &Selector,
    index: Option<u32>,
) -> Result<Match, Failure> {
    let found = selector.find(tree);
    if found.is_empty() {
        return Err(not_found(tree, selector));
    }
    if let Some(index) = index {
        let Some(matched) = found.get(index as usize) else {
            let message = format!(
                "match.index {index} is past the last of {} matches.",
                found.len()
            );
            return Err(
                Failure::new(Code::ElementNotFound, message).with_candidates(shown(tree, found))
            );
        };
        return interactable(tree, *matched);
    }
    let visible = |index: &u32| {
        tree.get(*index)
            .is_some_and(|element| element.traits.visible)
    };
    let mut competing: Vec<u32> = found.iter().copied().filter(visible).collect();
    if competing.is_empty() {
        competing = found;
    }
    // Two labels of one row are one target; a match without a target stands for itself.
    let mut targets: Vec<(u32, u32)> = Vec::new();
    for matched in competing {
        let target = target_of(tree, matched).unwrap_or(matched);
        if targets.iter().all(|(_, known)| *known != target) {
            targets.push((matched, target));
        }
    }
    match targets.as_slice() {
        [(matched, _)] => interactable(tree, *matched),
        several => {
            let message = format!("{} elements match the selector.", several.len());
            let candidates = shown(tree, several.iter().map(|(matched, _)| *matched));
            Err(Failure::new(Code::AmbiguousTarget, message).with_candidates(candidates))
        }
    }
}

/// The target of one element, as [`resolve_target`] finds it for a match: for elementIds.
///
/// # Errors
/// `ELEMENT_NOT_INTERACTABLE` with what is in the way.
pub fn interactable(tree: &Tree, matched: u32) -> Result<Match, Failure> {
    let refuse = |index: u32, why: &str| {
        let message = format!("The element is {why}.");
        Err(Failure::new(Code::ElementNotInteractable, message)
            .with_candidates(shown(tree, [matched, index])))
    };
    let Some(target) = target_of(tree, matched) else {
        return refuse(matched, "not clickable, and nothing around it is");
    };
    for index in [matched, target] {
        let Some(element) = tree.get(index) else {
            continue;
        };
        if !element.traits.visible {
            return refuse(index, "not visible: nothing of it is on the display");
        }
        if !element.traits.enabled {
            return refuse(index, "disabled");
        }
    }
    Ok(Match { matched, target })
}

fn target_of(tree: &Tree, matched: u32) -> Option<u32> {
    let element = tree.get(matched)?;
    if is_actionable(element) {
        return Some(matched);
    }
    let mut ancestor = element.parent;
    while let Some(index) = ancestor {
        let candidate = tree.get(index)?;
        if takes_taps_for_others(candidate) {
            return Some(index);
        }
        ancestor = candidate.parent.filter(|parent| *parent < index);
    }
    let bounds = element.visible_bounds;
    let around = tree.elements.iter().enumerate().filter(|(_, candidate)| {
        takes_taps_for_others(candidate)
            && candidate.window == element.window
            && !bounds.is_empty()
            && candidate.visible_bounds.encloses(&bounds)
    });
    // Of equals the later one: it is drawn above.
    let smallest = around.min_by_key(|(index, candidate)| {
        (candidate.visible_bounds.area(), std::cmp::Reverse(*index))
    });
    smallest.and_then(|(index, _)| u32::try_from(index).ok())
}

fn is_actionable(element: &Element) -> bool {
    let traits = &element.traits;
    traits.clickable
        || traits.long_clickable
        || traits.focusable
        || traits.checkable
        || traits.editable
}

/// Lists and web views are focusable, but a tap meant for a label in them is not a tap on them.
fn takes_taps_for_others(element: &Element) -> bool {
    let container = element.traits.scrollable || element.role == Some("web_view");
    element.traits.clickable || (element.traits.focusable && !container)
}

fn shown(tree: &Tree, indexes: impl IntoIterator<Item = u32>) -> Vec<serde_json::Value> {
    let mut indexes: Vec<u32> = indexes.into_iter().take(MAX_CANDIDATES).collect();
    indexes.dedup();
    indexes
        .into_iter()
        .map(|index| element_json(tree, index, ElementView::Resolved, None))
        .collect()
}

/// Nothing matched: shows what nearly did, as a part of a text, or as a description where a text was asked for.
fn not_found(tree: &Tree, selector: &Selector) -> Failure {
    let members = [
        &selector.text,
        &selector.accessibility_id,
        &selector.resource_id,
    ];
    let words: Vec<String> = members
        .into_iter()
        .flatten()
        .filter(|value| !is_blank(value))
        .map(|value| normalize(value))
        .collect();
    let near = (0u32..).zip(&tree.elements).filter(|(_, element)| {
        let values = [&element.text, &element.description, &element.resource_id];
        values
            .into_iter()
            .flatten()
            .any(|value| words.iter().any(|word| matches(value, word, true)))
    });
    let candidates = shown(tree, near.map(|(index, _)| index));
    let hint = if candidates.is_empty() {
        ""
    } else {
        " The candidates are near misses."
    };
    Failure::new(
        Code::ElementNotFound,
        format!("No element matches the selector.{hint}"),
    )
    .with_candidates(candidates)
}
