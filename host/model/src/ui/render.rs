//! Trees as agents see them: JSON with defaults left out, and the compact text of one line an element.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::roles::simple_class;
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
///
/// `center` is the middle of what can be seen, so it is a point that can be tapped; an element of which
/// nothing can be seen has none. `stable_id` is left out where it only repeats the resource id.
#[must_use]
pub fn element_json(tree: &Tree, index: u32, view: ElementView, element_id: Option<&str>) -> Value {
    let Some(element) = tree.get(index) else {
        return Value::Null;
    };
    // Most elements have about a dozen members.
    let mut object = Object(Map::with_capacity(16));
    match view {
        ElementView::Tree => {
            object.text("text", element.text.as_deref());
            object.text("contentDescription", element.description.as_deref());
            object.text("hint", element.hint.as_deref());
            object.text("type", Some(&element.class));
            object.text("resourceId", element.resource_id.as_deref());
            object.text("package", element.package.as_deref());
            object.truth("clickable", element.traits.clickable);
            if !element.traits.enabled {
                object.put("enabled", json!(false));
            }
            object.truth("visible", element.traits.visible);
            object.truth("password", element.traits.password);
            object.put("bounds", numbers(element.bounds.to_array()));
            if element.traits.visible {
                let (x, y) = element.visible_bounds.center();
                object.put("center", numbers([x, y]));
            }
            if let Some(parent) = element.parent {
                object.put("parentId", json!(parent));
            }
            if !element.children.is_empty() {
                object.put("children", numbers(element.children.iter().copied()));
            }
            if element.depth > 0 {
                object.put("depth", json!(element.depth));
            }
        }
        ElementView::Resolved => {
            object.text("elementId", element_id);
            object.text("text", element.text.as_deref());
            object.text("resource_id", element.resource_id.as_deref());
            object.text("accessibility_id", element.description.as_deref());
            object.text("class", Some(&element.class));
            object.put("bounds", numbers(element.bounds.to_array()));
            object.put("index", json!(index));
        }
    }
    object.map("state", state(element));
    if element.stable_id != element.resource_id || view == ElementView::Resolved {
        object.text("stable_id", element.stable_id.as_deref());
    }
    object.text("role", element.role);
    if element.test_tag != element.resource_id || view == ElementView::Resolved {
        object.text("test_tag", element.test_tag.as_deref());
    }
    if let (Some(value), Some(best)) = (element.selector_value(), element.best_selector) {
        let confidence = json!({"score": best.score, "reason": best.by.as_str()});
        object.put("selector", json!({"value": value, "confidence": confidence}));
    }
    object.map("semantic", semantic(element));
    Value::Object(object.0)
}

fn numbers<N: Into<Value>>(numbers: impl IntoIterator<Item = N>) -> Value {
    Value::Array(numbers.into_iter().map(Into::into).collect())
}

/// A JSON object that leaves out what is empty.
#[derive(Default)]
struct Object(Map<String, Value>);

impl Object {
    fn put(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    fn text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            self.put(name, Value::String(value.to_owned()));
        }
    }

    fn truth(&mut self, name: &str, value: bool) {
        if value {
            self.put(name, Value::Bool(true));
        }
    }

    fn map(&mut self, name: &str, value: Self) {
        if !value.0.is_empty() {
            self.put(name, Value::Object(value.0));
        }
    }
}

fn state(element: &Element) -> Object {
    let traits = &element.traits;
    let mut state = Object::default();
    state.truth("checked", traits.checked);
    state.truth("selected", traits.selected);
    state.truth("focused", traits.focused);
    // Collapsed is not the same as "has nothing to expand".
    if let Some(expanded) = traits.expanded {
        state.put("expanded", json!(expanded));
    }
    if !traits.enabled {
        state.put("enabled", json!(false));
    }
    if let Some(value) = element.value {
        state.put("value", json!(value));
        state.text("raw_value", element.text.as_deref());
    }
    if let Some((min, max)) = element.value_range {
        state.put("value_range", json!({"min": min, "max": max}));
    }
    state
}

/// What an agent can do with an element beyond what `clickable` and `role` say.
fn semantic(element: &Element) -> Object {
    let traits = &element.traits;
    let mut semantic = Object::default();
    let mut actions: Vec<&str> = Vec::new();
    match element.role {
        Some("slider") => {
            semantic.put("adjustable", json!(true));
            actions.push("adjust");
        }
        Some("checkbox" | "switch" | "radio") => semantic.put("state_shape", json!("boolean")),
        _ if traits.checkable => semantic.put("state_shape", json!("boolean")),
        _ => {}
    }
    if traits.editable {
        actions.push("type_text");
    }
    if traits.long_clickable {
        actions.push("long_press");
    }
    if traits.scrollable {
        semantic.put("is_container", json!(true));
        actions.push("scroll");
    }
    if !actions.is_empty() {
        semantic.put("supported_actions", json!(actions));
    }
    semantic
}

/// Longer texts are cut with an ellipsis: the line names the element, the JSON holds the text.
const MAX_LINE_TEXT: usize = 120;

/// The compact text tree, one line an element, indented by depth among the kept:
///
/// ```text
/// [4] button "Sign in" desc="Sign in to the shop" hint="…" #login tap hold 40,1200-1040,1320
/// [5] switch "Wi-Fi" #android:id/switch checked tap 880,300-1040,380
/// ```
///
/// - `[4]`: the element's index, as `index` and `parentId` use it.
/// - Role, or the class where it has none, and neither of a label that shows its text; then text, `desc=`, `hint=` (escaped, cut at 120 characters with `…`).
/// - `#`: its resource id, without the package where that is the window's own.
/// - State where it is not the default: `checked`, `unchecked` (of what can be), `selected`, `focused`, `expanded`,
///   `collapsed`, `disabled`, `password`, `value=…`, and `hidden` when nothing of it is on the display.
/// - What it takes: `tap`, `hold` (long press), `type` (text), `scroll`.
/// - Bounds `left,top-right,bottom`.
///
/// With several windows a line `window 0 com.app "Title" application` stands before the elements of each.
#[must_use]
pub fn text_tree(tree: &Tree) -> String {
    text_tree_of(tree, 0..u32::try_from(tree.elements.len()).unwrap_or(u32::MAX))
}

/// [`text_tree`] of some elements only, in the order given; indentation stays that of the whole tree.
#[must_use]
pub fn text_tree_of(tree: &Tree, indexes: impl IntoIterator<Item = u32>) -> String {
    let levels = levels(tree);
    let mut out = String::new();
    let mut window = None;
    for index in indexes {
        let Some(element) = tree.get(index) else {
            continue;
        };
        if tree.windows.len() > 1 && window != Some(element.window) {
            window = Some(element.window);
            window_line(&mut out, tree, element.window);
        }
        let level = levels.get(index as usize).copied().unwrap_or(0);
        element_line(&mut out, tree, element, index, level);
    }
    out
}

/// How many kept ancestors each element has.
fn levels(tree: &Tree) -> Vec<usize> {
    let mut levels = vec![0; tree.elements.len()];
    for (index, element) in tree.elements.iter().enumerate() {
        if let Some(parent) = element.parent.map(|parent| parent as usize).filter(|parent| *parent < index) {
            levels[index] = levels[parent] + 1;
        }
    }
    levels
}

/// Writing into a `String` cannot fail.
macro_rules! put {
    ($out:expr, $($argument:tt)*) => {{ let _ = write!($out, $($argument)*); }};
}

fn window_line(out: &mut String, tree: &Tree, index: u32) {
    let Some(window) = tree.windows.get(index as usize) else {
        return;
    };
    put!(out, "window {index}");
    if let Some(package) = &window.package {
        put!(out, " {}", shortened(package));
    }
    if let Some(title) = &window.title {
        put!(out, " \"{}\"", shortened(title));
    }
    if let Some(kind) = &window.kind {
        put!(out, " {}", shortened(kind));
    }
    out.push('\n');
}

/// Deep trees would otherwise be mostly spaces.
const MAX_INDENT: usize = 24;

fn element_line(out: &mut String, tree: &Tree, element: &Element, index: u32, level: usize) {
    let traits = &element.traits;
    out.extend(std::iter::repeat_n(' ', level.min(MAX_INDENT)));
    // An app names its own classes, and may put a line end into one.
    match element.role {
        // What only says something is named by what it says.
        Some("text") if element.text.is_some() => put!(out, "[{index}]"),
        Some(role) => put!(out, "[{index}] {role}"),
        None => put!(out, "[{index}] {}", shortened(simple_class(&element.class))),
    }
    if let Some(text) = &element.text {
        put!(out, " \"{}\"", shortened(text));
    }
    for (name, value) in [("desc", &element.description), ("hint", &element.hint)] {
        if let Some(value) = value.as_ref().filter(|value| Some(*value) != element.text.as_ref()) {
            put!(out, " {name}=\"{}\"", shortened(value));
        }
    }
    if let Some(id) = &element.resource_id {
        let package = tree.windows.get(element.window as usize).and_then(|window| window.package.as_deref());
        let own = id.split_once(":id/").filter(|(of, _)| Some(*of) == package).map(|(_, bare)| bare);
        put!(out, " #{}", shortened(own.unwrap_or(id)));
    }
    let words = [
        (traits.checked, "checked"),
        (traits.checkable && !traits.checked, "unchecked"),
        (traits.selected, "selected"),
        (traits.focused, "focused"),
        (traits.expanded == Some(true), "expanded"),
        (traits.expanded == Some(false), "collapsed"),
        (!traits.enabled, "disabled"),
        (traits.password, "password"),
        (!traits.visible, "hidden"),
        (traits.clickable, "tap"),
        (traits.long_clickable, "hold"),
        (traits.editable, "type"),
        (traits.scrollable, "scroll"),
    ];
    for (_, word) in words.into_iter().filter(|(holds, _)| *holds) {
        put!(out, " {word}");
    }
    if let Some(value) = element.value {
        put!(out, " value={value}");
    }
    let bounds = &element.bounds;
    put!(out, " {},{}-{},{}\n", bounds.left, bounds.top, bounds.right, bounds.bottom);
}

/// One line, whatever the screen says: quotes and control characters escaped, invisible marks too.
fn shortened(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(MAX_LINE_TEXT));
    for (count, character) in text.chars().enumerate() {
        if count == MAX_LINE_TEXT {
            out.push('…');
            break;
        }
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            _ if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}') => {
                out.extend(character.escape_unicode());
            }
            _ => out.push(character),
        }
    }
    out
}
