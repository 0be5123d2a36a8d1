//! Who an element is, so that an elementId taps what it named and nothing else.

use super::record::Record;
use crate::ui::Tree;

/// The key by which an elementId is revalidated (contract §6): the stable id, else type, id, text,
/// description and index. Empty when there is no such element.
#[must_use]
pub fn identity(tree: &Tree, index: u32) -> String {
    let Some(element) = tree.get(index) else {
        return String::new();
    };
    let record = Record::of(element);
    match record.stable_id() {
        Some(stable_id) => format!("stable\u{1F}{stable_id}"),
        None => format!("shown\u{1F}{}\u{1F}{index}", record.described().join("\u{1F}")),
    }
}

/// Whether both are the same element, each in its own tree.
#[must_use]
pub fn same_identity(one: &Tree, one_index: u32, other: &Tree, other_index: u32) -> bool {
    let identity_of_one = identity(one, one_index);
    !identity_of_one.is_empty() && identity_of_one == identity(other, other_index)
}

/// The same element in another tree, wherever it stands there.
///
/// By stable id, else by what it says; of several that say the same, the one of equal rank when there
/// are as many as before. `None` rather than a guess.
#[must_use]
pub fn counterpart(index: u32, from: &Tree, to: &Tree) -> Option<u32> {
    let record = Record::of(from.get(index)?);
    let positions = |tree: &Tree, same: &dyn Fn(&Record) -> bool| -> Vec<u32> {
        (0u32..)
            .zip(&tree.elements)
            .filter(|(_, element)| same(&Record::of(element)))
            .map(|(position, _)| position)
            .collect()
    };
    if let Some(stable_id) = record.stable_id()
        && let [only] = positions(to, &|other| other.stable_id() == Some(stable_id))[..]
    {
        return Some(only);
    }
    let described = |other: &Record| other.described() == record.described();
    let (before, after) = (positions(from, &described), positions(to, &described));
    if before.len() != after.len() {
        return None;
    }
    before.iter().position(|position| *position == index).and_then(|rank| after.get(rank)).copied()
}
