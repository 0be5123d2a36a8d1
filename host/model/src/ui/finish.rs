//! What can only be said of a whole tree: its display, what is visible, its keyboard and packages,
//! and which identities are unique in it.

use std::collections::HashMap;

use super::roles::simple_class;
use super::text::normalize;
use super::{BestSelector, Element, Keyboard, Rect, SelectorKind, Size, Tree, Window};

/// Completes a tree whose elements have their bounds clipped by ancestors.
pub(super) fn finish(tree: &mut Tree, display: Option<Size>) {
    tree.resolution = display.unwrap_or_else(|| size_of_roots(&tree.windows));
    let display = tree.display();
    for element in &mut tree.elements {
        let shown = element.visible_bounds.intersect(&display);
        let visible = element.traits.visible && !shown.is_empty();
        element.traits.visible = visible;
        element.visible_bounds = if visible { shown } else { Rect::new(shown.left, shown.top, shown.left, shown.top) };
    }
    tree.package = package_in_front(tree);
    tree.keyboard = keyboard(&tree.windows, &display);
    tree.identify();
}

fn size_of_roots(windows: &[Window]) -> Size {
    let edge = |edge: i32| u32::try_from(edge).unwrap_or(0);
    let all = windows.iter().map(|window| window.bounds).reduce(|a, b| a.union(&b)).unwrap_or_default();
    Size { width: edge(all.right), height: edge(all.bottom) }
}

/// The active window's package; where no window says that it is active, the largest one's that is not the system's.
fn package_in_front(tree: &Tree) -> Option<String> {
    let known = || tree.windows.iter().enumerate().filter(|(_, window)| window.package.is_some());
    let rank = |window: &Window| {
        let application = window.kind.as_deref().is_none_or(|kind| kind == "application");
        let system = window.package.as_deref() == Some("com.android.systemui");
        (application && !system, window.bounds.area())
    };
    let active = known().find(|(_, window)| window.active == Some(true));
    // `max_by_key` keeps the last of equals: the window dumped later is nearer.
    let (index, window) = active.or_else(|| known().max_by_key(|(_, window)| rank(window)))?;
    if window.package.as_deref() != Some("android") {
        return window.package.clone();
    }
    // Old roots are the framework's own decor; the app is inside.
    let inside = tree.elements.iter().filter(|element| element.window as usize == index);
    inside.filter_map(|element| element.package.clone()).next().or_else(|| window.package.clone())
}

/// Only a dump with windows tells; a plain hierarchy says nothing of the keyboard.
fn keyboard(windows: &[Window], display: &Rect) -> Option<Keyboard> {
    if windows.iter().all(|window| window.kind.is_none()) {
        return None;
    }
    let frame = |window: &Window| window.bounds.intersect(display);
    let shown = windows.iter().filter(|window| window.kind.as_deref() == Some("input_method"));
    let bounds = shown.map(frame).find(|bounds| !bounds.is_empty());
    Some(Keyboard { shown: bounds.is_some(), bounds })
}

/// Confidence of a selector that names one element of the tree, by what it is made of.
const SCORES: [(SelectorKind, f64); 3] =
    [(SelectorKind::ResourceId, 0.95), (SelectorKind::AccessibilityId, 0.9), (SelectorKind::Text, 0.8)];

/// A longer label is content, not a name: it changes with what it tells.
const MAX_NAME_CHARACTERS: usize = 64;

impl Tree {
    /// Gives each element its `stable_id` and best selector, from what is unique in this tree.
    ///
    /// An id that several rows share is nobody's identity: an elementId would survive a scroll and tap
    /// another row. [`super::parse_hierarchy`] has called this; adapters that build trees otherwise call it last.
    pub fn identify(&mut self) {
        let keys: Vec<Keys> = self.elements.iter().map(Keys::of).collect();
        let mut seen: HashMap<(SelectorKind, &str), u32> = HashMap::with_capacity(2 * keys.len());
        let mut owners: HashMap<(&str, &str), u32> = HashMap::with_capacity(keys.len());
        for (element, keys) in self.elements.iter().zip(&keys) {
            for (kind, value) in keys.selectors() {
                *seen.entry((kind, value)).or_default() += 1;
            }
            if let Some(owner) = keys.owner(element) {
                *owners.entry(owner).or_default() += 1;
            }
        }
        let found: Vec<_> = (self.elements.iter().zip(&keys))
            .map(|(element, keys)| {
                let unique = |kind| keys.selectors().any(|key| key.0 == kind && seen.get(&key) == Some(&1));
                let best =
                    SCORES.into_iter().find(|(kind, _)| unique(*kind)).map(|(by, score)| BestSelector { by, score });
                let owns = keys.owner(element).is_some_and(|owner| owners.get(&owner) == Some(&1));
                (best, owns.then(|| stable_id(element)))
            })
            .collect();
        for (element, (best, stable_id)) in self.elements.iter_mut().zip(found) {
            element.best_selector = best;
            element.stable_id = stable_id;
        }
    }
}

fn stable_id(element: &Element) -> String {
    match &element.resource_id {
        Some(id) => id.clone(),
        None => {
            let description = element.description.as_deref().unwrap_or_default().trim();
            format!("{}:{description}", simple_class(&element.class))
        }
    }
}

/// What could name an element, normalised as selectors compare; empty where it has none.
struct Keys {
    id: String,
    bare_id: String,
    description: String,
    text: String,
}

impl Keys {
    fn of(element: &Element) -> Self {
        let of = |value: Option<&str>| value.map(normalize).unwrap_or_default();
        let name = |value: &Option<String>| {
            of(value.as_deref().filter(|value| value.chars().nth(MAX_NAME_CHARACTERS).is_none()))
        };
        Self {
            id: of(element.resource_id.as_deref()),
            bare_id: of(element.bare_id()),
            description: name(&element.description),
            text: name(&element.text),
        }
    }

    fn selectors(&self) -> impl Iterator<Item = (SelectorKind, &str)> {
        let all = [
            (SelectorKind::ResourceId, &self.bare_id),
            (SelectorKind::AccessibilityId, &self.description),
            (SelectorKind::Text, &self.text),
        ];
        all.into_iter().filter(|(_, value)| !value.is_empty()).map(|(kind, value)| (kind, value.as_str()))
    }

    /// Whom a stable id would name: the id, else the description within its class.
    fn owner<'k>(&'k self, element: &'k Element) -> Option<(&'k str, &'k str)> {
        match (self.id.as_str(), self.description.as_str()) {
            ("", "") => None,
            ("", description) => Some((&element.class, description)),
            (id, _) => Some(("", id)),
        }
    }
}
