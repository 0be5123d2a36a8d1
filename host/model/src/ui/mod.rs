//! One screen: its elements, where they are, and what can be asked of them.

mod build;
mod control;
mod decode;
mod dialog;
mod escape;
mod find;
mod fingerprint;
mod finish;
mod node;
mod parse;
mod render;
mod roles;
mod scroll;
mod select;
mod target;
pub(crate) mod text;
mod token;

pub use control::{Control, ControlValue, Track};
pub use dialog::{DialogAnswer, dialog_button, dialog_buttons};
pub use find::{Candidate, Extent, Met, confidence, find_by_words};
pub use fingerprint::fingerprint;
pub use parse::{ParseOptions, parse_hierarchy};
pub use render::{ElementView, element_json, text_tree, text_tree_of};
pub use scroll::{ScrollArea, ScrollDirection, ScrollStroke, scroll_areas, scroll_stroke};
pub use select::{Selector, StateSelector};
pub use target::{Match, interactable, resolve_target};

use serde::{Deserialize, Serialize};

/// A rectangle in pixels on Android, points on iOS; may be negative, empty or inverted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rect {
    /// Left edge.
    pub left: i32,
    /// Top edge.
    pub top: i32,
    /// Right edge, exclusive.
    pub right: i32,
    /// Bottom edge, exclusive.
    pub bottom: i32,
}

impl Rect {
    /// A rectangle from its four edges.
    #[must_use]
    pub const fn new(left: i32, top: i32, right: i32, bottom: i32) -> Self {
        Self { left, top, right, bottom }
    }

    /// True when it covers no pixel: zero area or inverted.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.right <= self.left || self.bottom <= self.top
    }

    /// The common part; empty (possibly inverted) when there is none.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        Self::new(
            self.left.max(other.left),
            self.top.max(other.top),
            self.right.min(other.right),
            self.bottom.min(other.bottom),
        )
    }

    /// The smallest rectangle around both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self::new(
            self.left.min(other.left),
            self.top.min(other.top),
            self.right.max(other.right),
            self.bottom.max(other.bottom),
        )
    }

    /// The middle pixel; inside the rectangle unless it is empty.
    #[must_use]
    pub fn center(&self) -> (i32, i32) {
        let mid = |a: i32, b: i32| i32::try_from((i64::from(a) + i64::from(b)) / 2).unwrap_or(a);
        (mid(self.left, self.right), mid(self.top, self.bottom))
    }

    /// True when the point is inside.
    #[must_use]
    pub const fn contains(&self, x: i32, y: i32) -> bool {
        x >= self.left && x < self.right && y >= self.top && y < self.bottom
    }

    /// True when `other` lies wholly inside.
    #[must_use]
    pub const fn encloses(&self, other: &Self) -> bool {
        other.left >= self.left && other.right <= self.right && other.top >= self.top && other.bottom <= self.bottom
    }

    /// Covered pixels; 0 when empty.
    #[must_use]
    pub fn area(&self) -> i64 {
        if self.is_empty() {
            return 0;
        }
        (i64::from(self.right) - i64::from(self.left)) * (i64::from(self.bottom) - i64::from(self.top))
    }

    /// `[left, top, right, bottom]`, as answers show it.
    #[must_use]
    pub const fn to_array(&self) -> [i32; 4] {
        [self.left, self.top, self.right, self.bottom]
    }
}

/// A display's size in the current rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Size {
    /// Pixels (Android) or points (iOS) across.
    pub width: u32,
    /// Pixels (Android) or points (iOS) down.
    pub height: u32,
}

/// Yes/no facts of an element. `visible` is computed: non-empty after clipping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits {
    /// Takes a tap.
    pub clickable: bool,
    /// Takes a long press.
    pub long_clickable: bool,
    /// Not greyed out.
    pub enabled: bool,
    /// Something of it is on the display, after clipping to every clipping ancestor.
    pub visible: bool,
    /// Has a checked state.
    pub checkable: bool,
    /// Is checked.
    pub checked: bool,
    /// Is selected.
    pub selected: bool,
    /// Can take the input focus.
    pub focusable: bool,
    /// Has the input focus.
    pub focused: bool,
    /// Is expanded, where the platform says so.
    pub expanded: Option<bool>,
    /// Scrolls its content.
    pub scrollable: bool,
    /// Takes text.
    pub editable: bool,
    /// Hides its text.
    pub password: bool,
}

/// One kept node of a screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Element {
    /// Platform class, such as `android.widget.Button`.
    pub class: String,
    /// App package, where it differs from its root's.
    pub package: Option<String>,
    /// Shown text, raw; `None` when empty or when it is a password.
    pub text: Option<String>,
    /// For a password field: a keyed hash of its content, so that a change moves the signature without the text.
    pub secret: Option<u64>,
    /// Content description, raw.
    pub description: Option<String>,
    /// Full resource id, as the platform gives it.
    pub resource_id: Option<String>,
    /// Hint of a text field.
    pub hint: Option<String>,
    /// Role from the table of roles, such as `button`.
    pub role: Option<&'static str>,
    /// Test tag (Compose `testTag`, React Native `testID`) where one can be told from the id.
    pub test_tag: Option<String>,
    /// An identity that survives re-reads: from the id, test tag or description with its class; `None` when nothing is stable.
    pub stable_id: Option<String>,
    /// Bounds as given.
    pub bounds: Rect,
    /// What of it can be seen: clipped to the display and every clipping ancestor; may be empty.
    pub visible_bounds: Rect,
    /// Nearest kept ancestor, an index of `Tree::elements`.
    pub parent: Option<u32>,
    /// Nearest kept descendants, in order.
    pub children: Vec<u32>,
    /// Depth in the dump, the root at 0.
    pub depth: u32,
    /// Index of the window in `Tree::windows`.
    pub window: u32,
    /// Yes/no facts.
    pub traits: Traits,
    /// Numeric value (sliders, progress) where exposed.
    pub value: Option<f64>,
    /// Least and greatest value where exposed.
    pub value_range: Option<(f64, f64)>,
    /// The member of a selector that names this element alone, where one does; set by [`Tree::identify`].
    pub best_selector: Option<BestSelector>,
}

impl Element {
    /// The resource id without its package: `login` of `com.app:id/login`.
    #[must_use]
    pub fn bare_id(&self) -> Option<&str> {
        let id = self.resource_id.as_deref()?;
        Some(id.split_once(":id/").map_or(id, |(_, bare)| bare))
    }

    /// The value of [`Element::best_selector`].
    #[must_use]
    pub fn selector_value(&self) -> Option<&str> {
        match self.best_selector?.by {
            SelectorKind::ResourceId => self.bare_id(),
            SelectorKind::AccessibilityId => self.description.as_deref(),
            SelectorKind::Text => self.text.as_deref(),
        }
    }
}

/// Which member of a selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SelectorKind {
    /// `resource_id`.
    ResourceId,
    /// `accessibility_id`.
    AccessibilityId,
    /// `text`.
    Text,
}

impl SelectorKind {
    /// The member's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ResourceId => "resource_id",
            Self::AccessibilityId => "accessibility_id",
            Self::Text => "text",
        }
    }
}

/// The best selector of an element: which member, and how far to trust it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestSelector {
    /// The member to use; its value is the element's own.
    pub by: SelectorKind,
    /// 0–1: ids outlive descriptions, descriptions outlive texts.
    pub score: f64,
}

/// One window (or root) of a screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Window {
    /// Package of its root.
    pub package: Option<String>,
    /// Title where known.
    pub title: Option<String>,
    /// `application`, `input_method`, `system`, … where known.
    pub kind: Option<String>,
    /// Stacking layer, higher is nearer, where known.
    pub layer: Option<i32>,
    /// Its frame.
    pub bounds: Rect,
    /// Whether it is the active window, where known.
    pub active: Option<bool>,
}

/// The soft keyboard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyboard {
    /// On screen now.
    pub shown: bool,
    /// Its frame where known.
    pub bounds: Option<Rect>,
}

/// What a tree cannot tell, each with its remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limitation {
    /// A WebView without content: its accessibility is lazy.
    WebviewEmpty,
    /// A Flutter view without semantics.
    FlutterSemanticsOff,
    /// A Compose screen without a single id.
    ComposeNoIds,
    /// The tree may be of an earlier screen.
    StaleSuspected,
    /// A window that refuses capture.
    SecureWindow,
    /// Depth or node caps cut the tree.
    Truncated,
}

impl Limitation {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WebviewEmpty => "webview_empty",
            Self::FlutterSemanticsOff => "flutter_semantics_off",
            Self::ComposeNoIds => "compose_no_ids",
            Self::StaleSuspected => "stale_suspected",
            Self::SecureWindow => "secure_window",
            Self::Truncated => "truncated",
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::WebviewEmpty => "Read again in a moment: web content becomes accessible after the first read.",
            Self::FlutterSemanticsOff => "Read again; in the app, enable semantics or add Semantics(identifier: …).",
            Self::ComposeNoIds => "In the app, set testTagsAsResourceId and testTag to get stable ids.",
            Self::StaleSuspected => "Read again before acting on this tree.",
            Self::SecureWindow => "Screenshots of this window are black; rely on the tree.",
            Self::Truncated => "Only part of the tree is shown: scope the read to a subtree.",
        }
    }
}

/// A parsed screen: everything kept, and a count of what was not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// Kept nodes in document order: a parent comes before its children.
    pub elements: Vec<Element>,
    /// Nodes in the dump; `elements.len() + elided`.
    pub node_count: u32,
    /// Nodes left out because they say nothing.
    pub elided: u32,
    /// Quarter turns, 0–3, as the dump says.
    pub rotation: u8,
    /// Display size in the current rotation.
    pub resolution: Size,
    /// Windows or roots, in the dump's order.
    pub windows: Vec<Window>,
    /// Package of the active window.
    pub package: Option<String>,
    /// The keyboard, when known.
    pub keyboard: Option<Keyboard>,
    /// What this tree cannot tell.
    pub limitations: Vec<Limitation>,
    /// Illegal characters that were replaced by U+FFFD so that the tree could be read.
    pub replaced_characters: u32,
}

impl Tree {
    /// The element at a position.
    #[must_use]
    pub fn get(&self, index: u32) -> Option<&Element> {
        self.elements.get(index as usize)
    }

    /// The display as a rectangle at the origin.
    #[must_use]
    pub fn display(&self) -> Rect {
        Rect::new(
            0,
            0,
            i32::try_from(self.resolution.width).unwrap_or(i32::MAX),
            i32::try_from(self.resolution.height).unwrap_or(i32::MAX),
        )
    }
}
