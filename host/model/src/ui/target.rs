//! Targets: which element takes the tap that was meant for a match.

use super::text::{is_blank, matches, normalize};
use super::{Element, ElementView, Selector, Tree, element_json};
use crate::code::MAX_CANDIDATES;
use crate::{Code, Failure};

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
        let both = tree.get(self.matched).map(|matched| matched.visible_bounds.intersect(&target));
        [both, Some(target)].into_iter().flatten().find(|bounds| !bounds.is_empty()).map(|bounds| bounds.center())
    }
}

/// One read decides which element takes a tap (contract §6).
///
/// Matches that resolve to one target are one match. Where some matches can be seen and others cannot,
/// only those that can be seen compete. `index` counts all matches in document order, as `wait_for_ui` does.
///
/// # Errors
/// `ELEMENT_NOT_FOUND`, `AMBIGUOUS_TARGET` (with candidates) or `ELEMENT_NOT_INTERACTABLE`.
pub fn resolve_target(tree: &Tree, selector: &Selector, index: Option<u32>) -> Result<Match, Failure> {
    let found = selector.find(tree);
    if found.is_empty() {
        return Err(not_found(tree, selector));
    }
    if let Some(index) = index {
        let Some(matched) = found.get(index as usize) else {
            let message = format!("match.index {index} is past the last of {} matches.", found.len());
            return Err(Failure::new(Code::ElementNotFound, message).with_candidates(shown(tree, found)));
        };
        return interactable(tree, *matched);
    }
    let visible = |index: &u32| tree.get(*index).is_some_and(|element| element.traits.visible);
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
        Err(Failure::new(Code::ElementNotInteractable, message).with_candidates(shown(tree, [matched, index])))
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
    let smallest = around.min_by_key(|(index, candidate)| (candidate.visible_bounds.area(), std::cmp::Reverse(*index)));
    smallest.and_then(|(index, _)| u32::try_from(index).ok())
}

fn is_actionable(element: &Element) -> bool {
    let traits = &element.traits;
    traits.clickable || traits.long_clickable || traits.focusable || traits.checkable || traits.editable
}

/// Lists and web views are focusable, but a tap meant for a label in them is not a tap on them.
fn takes_taps_for_others(element: &Element) -> bool {
    let container = element.traits.scrollable || element.role == Some("web_view");
    element.traits.clickable || (element.traits.focusable && !container)
}

fn shown(tree: &Tree, indexes: impl IntoIterator<Item = u32>) -> Vec<serde_json::Value> {
    let mut indexes: Vec<u32> = indexes.into_iter().take(MAX_CANDIDATES).collect();
    indexes.dedup();
    indexes.into_iter().map(|index| element_json(tree, index, ElementView::Resolved, None)).collect()
}

/// Nothing matched: shows what nearly did, as a part of a text, or as a description where a text was asked for.
fn not_found(tree: &Tree, selector: &Selector) -> Failure {
    let members = [&selector.text, &selector.accessibility_id, &selector.resource_id];
    let words: Vec<String> =
        members.into_iter().flatten().filter(|value| !is_blank(value)).map(|value| normalize(value)).collect();
    let near = (0u32..).zip(&tree.elements).filter(|(_, element)| {
        let values = [&element.text, &element.description, &element.resource_id];
        values.into_iter().flatten().any(|value| words.iter().any(|word| matches(value, word, true)))
    });
    let candidates = shown(tree, near.map(|(index, _)| index));
    let hint = if candidates.is_empty() { "" } else { " The candidates are near misses." };
    Failure::new(Code::ElementNotFound, format!("No element matches the selector.{hint}")).with_candidates(candidates)
}
