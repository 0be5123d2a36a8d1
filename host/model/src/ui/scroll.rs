//! Where a finger scrolls: which container, and from where to where inside what can be touched of it.

use super::{Element, Rect, Tree};

/// Which part of the content is brought into view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScrollDirection {
    /// What is below: the finger moves up.
    Down,
    /// What is above.
    Up,
}

/// A container that may be scrolled, and what can be touched of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScrollArea {
    /// The scrollable element; `None` where the screen names none and is scrolled as a whole.
    pub container: Option<u32>,
    /// Inside its clipped bounds, off the keyboard, the bars of the system and the edges that are theirs.
    pub area: Rect,
}

/// A finger's way, ms and pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScrollStroke {
    /// Where it begins.
    pub from: (i32, i32),
    /// Where it ends.
    pub to: (i32, i32),
    /// How long it takes: slow enough that what flies on afterwards leaves out no row of a list.
    pub duration_ms: u32,
}

/// An area lower than this is no place for a stroke.
const LEAST: i32 = 48;

/// Of the display, from its top and its bottom: status and navigation bar, and the gestures that begin there.
const BARS: i32 = 6;

/// Of the display, from its sides: there begins the gesture for back.
const SIDES: i32 = 5;

/// Containers that can be scrolled up and down, the likeliest first: those around `toward`, from the inside out, then by
/// what can be touched of them. Where there is none, the screen itself.
#[must_use]
pub fn scroll_areas(tree: &Tree, toward: Option<u32>) -> Vec<ScrollArea> {
    let around = toward.map(|index| ancestors(tree, index)).unwrap_or_default();
    let touchable = touchable(tree);
    let active = tree.windows.iter().position(|window| window.active == Some(true));
    let mut found: Vec<(usize, i64, ScrollArea)> = (0u32..)
        .zip(&tree.elements)
        .filter(|(index, element)| element.traits.scrollable && scrolls_upright(tree, *index, element))
        .filter(|(_, element)| active.is_none_or(|active| element.window as usize == active))
        .map(|(index, element)| (index, element.visible_bounds.intersect(&touchable)))
        .filter(|(_, area)| !area.is_empty() && area.bottom - area.top >= LEAST)
        .map(|(index, area)| {
            let rank = around.iter().position(|ancestor| *ancestor == index).unwrap_or(usize::MAX);
            (rank, area.area(), ScrollArea { container: Some(index), area })
        })
        .collect();
    found.sort_by_key(|(rank, size, area)| (*rank, std::cmp::Reverse(*size), area.container));
    let mut areas: Vec<ScrollArea> = Vec::new();
    for (.., area) in found {
        // A stroke over the same place moves the same thing.
        if areas.iter().all(|known| known.area != area.area) {
            areas.push(area);
        }
    }
    if areas.is_empty() && !touchable.is_empty() {
        areas.push(ScrollArea { container: None, area: touchable });
    }
    areas
}

/// A stroke over `amount` (0–1) of an area's height, in its middle.
#[must_use]
pub fn scroll_stroke(area: &Rect, direction: ScrollDirection, amount: f64) -> ScrollStroke {
    let height = area.bottom - area.top;
    #[expect(clippy::cast_possible_truncation, reason = "a share of a height in pixels")]
    let way = ((f64::from(height) * amount.clamp(0.1, 1.0)) as i32).clamp(1, height.max(2) - 1);
    let (x, _) = area.center();
    let upper = area.top + (height - way) / 2;
    let (high, low) = ((x, upper), (x, upper + way));
    let (from, to) = match direction {
        ScrollDirection::Down => (low, high),
        ScrollDirection::Up => (high, low),
    };
    let duration_ms = u32::try_from(way * 6 / 10).unwrap_or(300).clamp(300, 1_500);
    ScrollStroke { from, to, duration_ms }
}

/// Ancestors from the inside out.
fn ancestors(tree: &Tree, index: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let mut at = index;
    while let Some(parent) = tree.get(at).and_then(|element| element.parent).filter(|parent| *parent < at) {
        found.push(parent);
        at = parent;
    }
    found
}

/// The display without what belongs to the system and the keyboard.
fn touchable(tree: &Tree) -> Rect {
    let display = tree.display();
    let (bar, side) = (display.bottom * BARS / 100, display.right * SIDES / 100);
    let mut area = Rect::new(side, bar, display.right - side, display.bottom - bar);
    let keyboard = tree.keyboard.filter(|keyboard| keyboard.shown).and_then(|keyboard| keyboard.bounds);
    let ours = |kind: &Option<String>| kind.as_deref().is_none_or(|kind| kind != "system" && kind != "input_method");
    let theirs = tree.windows.iter().filter(|window| !ours(&window.kind)).map(|window| window.bounds);
    for other in theirs.chain(keyboard).filter(|other| !other.is_empty()) {
        // A window over the whole display is a shade that is closed, or none of our business.
        if other.bottom - other.top > display.bottom * 2 / 3 {
            continue;
        }
        let middle = (area.top + area.bottom) / 2;
        if other.top > middle {
            area.bottom = area.bottom.min(other.top);
        } else if other.bottom <= middle {
            area.top = area.top.max(other.bottom);
        }
    }
    // Where the keyboard reaches past the middle.
    if let Some(keyboard) = keyboard.filter(|keyboard| !keyboard.is_empty()) {
        area.bottom = area.bottom.min(keyboard.top);
    }
    area
}

/// Neither by name nor by how its content lies is it one that goes from side to side, and it is no control of its own.
fn scrolls_upright(tree: &Tree, index: u32, element: &Element) -> bool {
    if matches!(element.role, Some("pager" | "picker" | "slider" | "text_field" | "tab_bar" | "dropdown")) {
        return false;
    }
    if element.class.contains("Horizontal") {
        return false;
    }
    let inside: Vec<&Rect> = element
        .children
        .iter()
        .filter_map(|child| tree.get(*child))
        .filter(|child| child.parent == Some(index) && child.traits.visible)
        .map(|child| &child.visible_bounds)
        .collect();
    let [first, rest @ ..] = inside.as_slice() else { return true };
    let in_a_row = rest.iter().all(|other| (other.top - first.top).abs() <= 8);
    let apart = rest.iter().all(|other| (other.left - first.left).abs() > 8);
    !(rest.len() >= 2 && in_a_row && apart)
}
