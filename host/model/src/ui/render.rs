//! Trees as agents see them: JSON with defaults left out, and the compact text of one line an element.

use serde_json::Value;

use super::{Element, Tree};

/// How an element is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementView {
    /// Contract §3, as an entry of `elements`.
    Tree,
    /// `shapes.md`'s resolved element: elementId, text, resource_id, accessibility_id, class, bounds, index, …
    Resolved,
}

/// One element as JSON, defaults omitted (contract §3). `element_id` is shown by [`ElementView::Resolved`].
#[must_use]
pub fn element_json(tree: &Tree, index: u32, view: ElementView, element_id: Option<&str>) -> Value {
    let _ = (tree, index, view, element_id);
    Value::Null
}

/// The compact text tree, one line an element, indented by depth among the kept.
#[must_use]
pub fn text_tree(tree: &Tree) -> String {
    let _: Option<&Element> = tree.get(0);
    String::new()
}
