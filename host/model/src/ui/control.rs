//! Controls with a value: what kind each is, what it shows, and which touch brings it nearer to a value.

use super::{Element, ElementView, Rect, Tree, element_json, interactable};
use crate::code::MAX_CANDIDATES;
use crate::{Code, Failure};

/// What is adjusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlValue {
    /// On or off.
    Checked,
    /// A number.
    Number,
}

/// A control on one screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Control {
    /// A switch or checkbox; a radio button cannot be turned off by itself.
    Toggle {
        /// The element that shows the state.
        element: u32,
        /// Is on.
        on: bool,
        /// A radio button.
        radio: bool,
    },
    /// A bar with a thumb.
    Track {
        /// The element.
        element: u32,
        /// Its value now.
        value: f64,
        /// Its least and greatest value, where told.
        range: Option<(f64, f64)>,
        /// What of it can be touched.
        track: Rect,
    },
    /// A number with something that makes it more and something that makes it less.
    Steps {
        /// The element that shows the number.
        element: u32,
        /// The number.
        value: f64,
        /// Where a tap makes it more.
        more: Option<(i32, i32)>,
        /// Where a tap makes it less.
        less: Option<(i32, i32)>,
    },
}

/// Where a tap makes a number more, and where it makes it less.
type Ways = (Option<(i32, i32)>, Option<(i32, i32)>);

/// Words on a button that makes more; whole, in lower case.
const MORE: &[&str] = &["+", "＋", "plus", "increase", "increment", "add", "more", "up", "raise"];
/// Words on a button that makes less.
const LESS: &[&str] = &["-", "−", "–", "minus", "decrease", "decrement", "remove", "less", "down", "lower", "subtract"];

/// How far up from a label its control is looked for: a row, and a card around it.
const UP: usize = 3;

impl Control {
    /// The element that shows its value.
    #[must_use]
    pub const fn element(&self) -> u32 {
        match self {
            Self::Toggle { element, .. } | Self::Track { element, .. } | Self::Steps { element, .. } => *element,
        }
    }

    /// Its number; 1 and 0 of what is on or off.
    #[must_use]
    pub fn number(&self) -> f64 {
        match self {
            Self::Toggle { on, .. } => f64::from(u8::from(*on)),
            Self::Track { value, .. } | Self::Steps { value, .. } => *value,
        }
    }

    /// The control an element is, holds, or stands beside in its row.
    ///
    /// # Errors
    /// `SEMANTIC_MISMATCH` when there is none of this kind, or its value is not exposed; `AMBIGUOUS_TARGET` with
    /// candidates when there are several; `ELEMENT_NOT_INTERACTABLE` when it is disabled or cannot be seen.
    pub fn find(tree: &Tree, matched: u32, wanted: ControlValue) -> Result<Self, Failure> {
        let index = Self::nearest(tree, matched, wanted)?;
        let element = tree.get(index).ok_or_else(|| mismatch("there is no such element"))?;
        for (holds, why) in
            [(element.traits.visible, "not visible: scroll to it first"), (element.traits.enabled, "disabled")]
        {
            if !holds {
                return Err(Failure::new(Code::ElementNotInteractable, format!("The control is {why}.")));
            }
        }
        Self::of(tree, index, wanted)
    }

    fn nearest(tree: &Tree, matched: u32, wanted: ControlValue) -> Result<u32, Failure> {
        let mut around = matched;
        for _ in 0..=UP {
            let mut inside: Vec<u32> = subtree(tree, around).filter(|index| is_control(tree, *index, wanted)).collect();
            // Plain rows are left out of trees: beside a label is what lies at its height.
            if around != matched && (inside.len() > 1 || is_wide(tree, around)) {
                inside.retain(|index| in_line(tree, matched, *index));
            }
            match inside.as_slice() {
                [] => {}
                [only] => return Ok(*only),
                [first, ..] if *first == around => return Ok(*first),
                several => {
                    let shown = several.iter().take(MAX_CANDIDATES);
                    let shown = shown.map(|index| element_json(tree, *index, ElementView::Resolved, None)).collect();
                    let message = format!("{} controls belong to the match.", several.len());
                    return Err(Failure::new(Code::AmbiguousTarget, message).with_candidates(shown));
                }
            }
            match tree.get(around).and_then(|element| element.parent).filter(|parent| *parent < around) {
                Some(parent) => around = parent,
                None => break,
            }
        }
        Err(mismatch(match wanted {
            ControlValue::Checked => "the match is no switch, checkbox or radio button, and none belongs to it",
            ControlValue::Number => "the match is no slider, picker or stepper, and none belongs to it",
        }))
    }

    fn of(tree: &Tree, index: u32, wanted: ControlValue) -> Result<Self, Failure> {
        let element = tree.get(index).ok_or_else(|| mismatch("there is no such element"))?;
        if wanted == ControlValue::Checked {
            let (on, radio) = (element.traits.checked, element.role == Some("radio"));
            return Ok(Self::Toggle { element: index, on, radio });
        }
        if element.role == Some("slider") {
            let value = element.value.ok_or_else(|| mismatch("the slider does not expose its value"))?;
            return Ok(Self::Track {
                element: index,
                value,
                range: element.value_range,
                track: element.visible_bounds,
            });
        }
        let (shown, value) = number_in(tree, index).ok_or_else(|| mismatch("the control shows no number"))?;
        let (more, less) =
            if element.role == Some("picker") { neighbours(tree, index, shown) } else { beside(tree, shown) };
        if more.is_none() && less.is_none() {
            return Err(mismatch("nothing of the control makes its number more or less"));
        }
        Ok(Self::Steps { element: shown, value, more, less })
    }
}

/// More than a row or a card: what lies in it belongs to it, not to any label in it.
fn is_wide(tree: &Tree, index: u32) -> bool {
    tree.get(index).is_some_and(|element| element.visible_bounds.area() * 4 > tree.display().area())
}

/// One lies at the height of the other's middle.
fn in_line(tree: &Tree, one: u32, other: u32) -> bool {
    let (Some(one), Some(other)) = (tree.get(one), tree.get(other)) else { return false };
    let (middle, beside) = (one.visible_bounds.center().1, other.visible_bounds);
    let within = |bounds: &Rect, y: i32| y >= bounds.top && y < bounds.bottom;
    within(&beside, middle) && within(&one.visible_bounds, beside.center().1)
}

fn mismatch(why: &str) -> Failure {
    Failure::new(Code::SemanticMismatch, why)
}

/// An element and all below it; these follow it in the tree.
fn subtree(tree: &Tree, root: u32) -> impl Iterator<Item = u32> + '_ {
    let rest = (0u32..).zip(&tree.elements).skip(root as usize + 1);
    // In document order what is below an element ends with the first that hangs on one before it.
    let below = rest.take_while(move |(_, element)| element.parent.is_some_and(|parent| parent >= root));
    std::iter::once(root).chain(below.map(|(index, _)| index))
}

fn is_control(tree: &Tree, index: u32, wanted: ControlValue) -> bool {
    let Some(element) = tree.get(index) else { return false };
    match wanted {
        ControlValue::Checked => element.traits.checkable,
        ControlValue::Number => match element.role {
            Some("slider" | "picker") => true,
            Some("progress") => false,
            _ => is_stepped(tree, index, element),
        },
    }
}

/// A number, and in the same row a button for more and one for less.
fn is_stepped(tree: &Tree, index: u32, element: &Element) -> bool {
    if number(element).is_none() || is_in_picker(tree, index) {
        return false;
    }
    matches!(beside(tree, index), (Some(_), Some(_)))
}

/// The buttons for more and for less that stand by a number: in its own container or the one around that.
fn beside(tree: &Tree, number: u32) -> Ways {
    let parent = |index: u32| tree.get(index)?.parent.filter(|parent| *parent < index);
    let around = [parent(number), parent(number).and_then(parent)];
    let mut found = (None, None);
    for container in around.into_iter().flatten() {
        found = buttons(tree, container, number);
        if let (Some(_), Some(_)) = found {
            break;
        }
    }
    found
}

fn is_in_picker(tree: &Tree, index: u32) -> bool {
    let mut at = index;
    while let Some(parent) = tree.get(at).and_then(|element| element.parent).filter(|parent| *parent < at) {
        if tree.get(parent).is_some_and(|element| element.role == Some("picker")) {
            return true;
        }
        at = parent;
    }
    false
}

/// The number an element shows.
fn number(element: &Element) -> Option<f64> {
    element.value.or_else(|| element.text.as_deref()?.trim().parse().ok().filter(|value: &f64| value.is_finite()))
}

/// The number a control shows: its own, or that of the field in a picker, or the only one in it.
fn number_in(tree: &Tree, index: u32) -> Option<(u32, f64)> {
    if let Some(value) = tree.get(index).and_then(number) {
        return Some((index, value));
    }
    let shown: Vec<(u32, f64, bool)> = subtree(tree, index)
        .filter_map(|inside| {
            let element = tree.get(inside)?;
            Some((inside, number(element)?, element.traits.editable))
        })
        .collect();
    let field = shown.iter().find(|(.., editable)| *editable);
    let only = if let [only] = shown.as_slice() { Some(only) } else { None };
    field.or(only).map(|(inside, value, _)| (*inside, *value))
}

/// Buttons in a container that say more and less, at the height of a number or right above and below it.
fn buttons(tree: &Tree, row: u32, number: u32) -> Ways {
    let says = |element: &Element, words: &[&str]| {
        let bare = element.bare_id().map(|id| id.to_lowercase());
        let texts = [element.text.as_deref(), element.description.as_deref()];
        let spoken = texts.into_iter().flatten().any(|text| {
            let text = text.trim().to_lowercase();
            words.iter().any(|word| text == *word || text.split_whitespace().next() == Some(*word))
        });
        spoken || bare.is_some_and(|id| id.split(['_', '-']).any(|part| words.contains(&part)))
    };
    let find = |words: &[&str]| {
        let mut all = subtree(tree, row)
            .filter(|index| in_line(tree, number, *index) || stacked(tree, number, *index))
            .filter(|index| tree.get(*index).is_some_and(|element| element.traits.clickable && says(element, words)));
        match (all.next(), all.next()) {
            (Some(only), None) => point(tree, only),
            _ => None,
        }
    };
    (find(MORE), find(LESS))
}

/// One stands above or below the other, no farther than it is high.
fn stacked(tree: &Tree, one: u32, other: u32) -> bool {
    let (Some(one), Some(other)) = (tree.get(one), tree.get(other)) else { return false };
    let (one, other) = (one.visible_bounds, other.visible_bounds);
    let (x, _) = other.center();
    let gap = (other.top - one.bottom).max(one.top - other.bottom);
    x >= one.left && x < one.right && gap >= 0 && gap <= other.bottom - other.top
}

/// In a wheel the numbers beside the one chosen are buttons that say what they lead to.
fn neighbours(tree: &Tree, picker: u32, shown: u32) -> Ways {
    let Some((value, middle)) = tree.get(shown).and_then(|element| Some((number(element)?, element.bounds.center().1)))
    else {
        return (None, None);
    };
    let beside: Vec<(f64, (i32, i32), i32)> = subtree(tree, picker)
        .filter(|index| *index != shown)
        .filter_map(|index| {
            let element = tree.get(index)?;
            let taps = element.traits.clickable && !element.traits.editable;
            let next = number(element).filter(|_| taps)?;
            Some((next, point(tree, index)?, element.bounds.center().1))
        })
        .collect();
    // Where a wheel goes round, what is above the least is the greatest: the place tells, not the number.
    let nearest = |below: bool| beside.iter().find(|(.., at)| (*at > middle) == below);
    let (above, below) = (nearest(false), nearest(true));
    let rises = |next: Option<&(f64, (i32, i32), i32)>| next.is_some_and(|(next, ..)| *next > value);
    let falls = |next: Option<&(f64, (i32, i32), i32)>| next.is_some_and(|(next, ..)| *next < value);
    let at = |next: Option<&(f64, (i32, i32), i32)>| next.map(|(_, point, _)| *point);
    // Both beside it tell, or the one that is there does.
    // What is above leads to more where that is a greater number, or what is below leads to a lesser one.
    let upward = (falls(below) && !falls(above)) || (rises(above) && !rises(below));
    if upward { (at(above), at(below)) } else { (at(below), at(above)) }
}

/// Where a tap on an element lands.
fn point(tree: &Tree, index: u32) -> Option<(i32, i32)> {
    interactable(tree, index).ok()?.point(tree)
}

/// Where on a track a value lies, learnt from where touches brought it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Track {
    bounds: Rect,
    upright: bool,
    /// Places along the track, 0–1, with the value there: the least known so far below the target and above it.
    low: (f64, f64),
    high: (f64, f64),
}

impl Track {
    /// A track whose ends are taken for the ends of its range.
    #[must_use]
    pub fn new(bounds: Rect, range: (f64, f64)) -> Self {
        let upright = bounds.bottom - bounds.top > bounds.right - bounds.left;
        Self { bounds, upright, low: (0.0, range.0), high: (1.0, range.1) }
    }

    /// Where along it `value` should lie.
    #[must_use]
    pub fn place(&self, value: f64) -> f64 {
        let ((from, least), (to, most)) = (self.low, self.high);
        if (most - least).abs() < f64::EPSILON {
            return ((from + to) / 2.0).clamp(0.0, 1.0);
        }
        (from + (to - from) * (value - least) / (most - least)).clamp(0.0, 1.0)
    }

    /// A touch at `place` brought `value`; the next place for `target` lies between what is known on both sides of it.
    pub fn learn(&mut self, place: f64, value: f64, target: f64) {
        let mirrored = self.low.1 + self.high.1 - value;
        let untouched = (self.low.0, self.high.0) == (0.0, 1.0);
        // It runs the other way: from right to left, or from the top.
        if untouched && (mirrored - target).abs() < (value - target).abs() / 2.0 {
            (self.low.0, self.high.0) = (1.0, 0.0);
        }
        if value <= target {
            self.low = (place, value);
        }
        if value >= target {
            self.high = (place, value);
        }
    }

    /// The pixel at a place; a track that stands upright begins at its bottom.
    #[must_use]
    pub fn point(&self, place: f64) -> (i32, i32) {
        let along = |from: i32, to: i32| {
            #[expect(clippy::cast_possible_truncation, reason = "a pixel of the display")]
            let at = (f64::from(from) + f64::from(to - from) * place).round() as i32;
            at.clamp(from.min(to), from.max(to))
        };
        let (x, y) = self.bounds.center();
        if self.upright {
            (x, along(self.bounds.bottom - 1, self.bounds.top))
        } else {
            (along(self.bounds.left, self.bounds.right - 1), y)
        }
    }
}
