//! Scrolling until an element is there.

use std::sync::Arc;

use handset_model::snapshot::{Observation, changes, counterpart};
use handset_model::ui::{ScrollArea, ScrollDirection, Selector, Tree, scroll_areas, scroll_stroke};
use handset_model::{Code, Failure};
use serde_json::{Map, Value, json};

use super::args::{Direction, ScrollSelector, ScrollToElementArgs};
use super::resolved::resolved;
use super::{Answer, Call, OUTER};
use crate::action::{Course, Defaults, Move, Series, run_series};
use crate::device::{Input, Session};

/// Over every scroll and every look (contract §5).
const ALL_SCROLLS: Defaults = Defaults { action_ms: 10_000 };

pub(super) async fn scroll_to_element(call: Call) -> Result<Answer, Failure> {
    let args: ScrollToElementArgs = call.parse()?;
    let wanted = Wanted::of(&args.selector)?;
    let direction = match args.direction.unwrap_or_default() {
        Direction::Down => ScrollDirection::Down,
        Direction::Up => ScrollDirection::Up,
    };
    let (most, amount) = (args.max_scrolls.unwrap_or(10), args.scroll_amount.unwrap_or(0.7));
    let session = call.session(&args.target).await?;
    let outer = call.budget(OUTER);
    let context = call.action_context(&session, &outer);
    let series = Series {
        action_type: "scroll_to_element",
        selector: json!(args.selector),
        controls: args.controls.resolve(ALL_SCROLLS),
        arguments: json!({ "selector": args.selector }),
        most,
    };
    let mut course =
        Scrolling { wanted, direction, amount, most, tried: Vec::new(), last: None, found: None, reason: None };
    Ok(Answer::Action(Box::new(run_series(context, &series, &mut course).await)))
}

/// What is looked for.
struct Wanted {
    selector: Option<Selector>,
    class: Option<String>,
}

impl Wanted {
    fn of(given: &ScrollSelector) -> Result<Self, Failure> {
        let said = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let selector = Selector {
            text: said(&given.text),
            resource_id: said(&given.resource_id),
            accessibility_id: said(&given.content_desc),
            ..Selector::default()
        };
        let class = said(&given.class_name).map(|class| class.trim().to_lowercase());
        let selector = selector.validate("selector").is_ok().then_some(selector);
        if selector.is_none() && class.is_none() {
            let message = "selector needs at least one non-empty text, resourceId, contentDesc or className";
            return Err(Failure::argument("selector", message));
        }
        Ok(Self { selector, class })
    }

    /// Positions of all matches, in document order.
    fn find(&self, tree: &Tree) -> Vec<u32> {
        let all = || (0..u32::try_from(tree.elements.len()).unwrap_or(u32::MAX)).collect();
        let found: Vec<u32> = self.selector.as_ref().map_or_else(all, |selector| selector.find(tree));
        let is_class = |index: &u32| {
            let (Some(wanted), Some(element)) = (&self.class, tree.get(*index)) else { return true };
            let class = element.class.to_lowercase();
            class == *wanted || class.rsplit('.').next() == Some(wanted)
        };
        found.into_iter().filter(is_class).collect()
    }
}

struct Scrolling {
    wanted: Wanted,
    direction: ScrollDirection,
    amount: f64,
    most: u32,
    /// Containers that moved nothing more, as they were.
    tried: Vec<ScrollArea>,
    /// The look before the last scroll, and what was scrolled.
    last: Option<(Arc<Observation>, ScrollArea)>,
    found: Option<Value>,
    reason: Option<&'static str>,
}

impl Course for Scrolling {
    fn next(&mut self, session: &Session, seen: &Arc<Observation>, sent: u32) -> Result<Move, Failure> {
        let tree = &seen.tree;
        let matches = self.wanted.find(tree);
        if let Some(index) = matches.iter().copied().find(|index| can_be_touched(tree, *index)) {
            self.found = Some(resolved(&session.screens, seen, index));
            self.reason = Some("element_found");
            return Ok(Move::Done);
        }
        // Said before any other end: one that is reached by being moved on by may still fail for its time.
        self.reason = Some("element_not_found");
        if let Some((before, area)) = self.last.take()
            && !moved(&before, seen, area.container)
        {
            self.tried.push(area);
        }
        let areas = scroll_areas(tree, matches.first().copied());
        let Some(area) = areas.into_iter().find(|area| !self.tried.iter().any(|tried| tried.area == area.area)) else {
            let (reason, what) = if self.tried.is_empty() {
                ("element_not_found", "nothing on the screen can be scrolled")
            } else {
                ("ui_unchanged_after_scroll", "the last scroll changed nothing: this is the end")
            };
            self.reason = Some(reason);
            return Err(self.missing(what));
        };
        if sent >= self.most {
            return Err(self.missing(&format!("it was not there after {sent} scrolls, the most that were asked for")));
        }
        let stroke = scroll_stroke(&area.area, self.direction, self.amount);
        self.last = Some((Arc::clone(seen), area));
        let ((x1, y1), (x2, y2)) = (stroke.from, stroke.to);
        Ok(Move::Send(Input::Swipe { x1, y1, x2, y2, duration_ms: stroke.duration_ms }))
    }

    fn resolved(&self) -> Option<Value> {
        self.found.clone()
    }

    fn told(&self, sent: u32) -> (Map<String, Value>, Map<String, Value>) {
        let mut details = Map::new();
        details.insert("reason".into(), json!(self.reason));
        if let Some(found) = &self.found {
            details.insert("element".into(), found.clone());
        }
        details.insert("scrollsPerformed".into(), json!(sent));
        (details, Map::new())
    }
}

impl Scrolling {
    fn missing(&self, what: &str) -> Failure {
        let onward = match self.direction {
            ScrollDirection::Down => "up",
            ScrollDirection::Up => "down",
        };
        Failure::new(Code::ElementNotFound, format!("the element was not found: {what}"))
            .with_remedy(format!("Check the selector against get_ui_tree, scroll {onward}, or raise maxScrolls."))
    }
}

/// Something of it is on the display, and its middle is not under the keyboard.
fn can_be_touched(tree: &Tree, index: u32) -> bool {
    let Some(element) = tree.get(index).filter(|element| element.traits.visible) else { return false };
    let keyboard = tree.keyboard.filter(|keyboard| keyboard.shown).and_then(|keyboard| keyboard.bounds);
    let (x, y) = element.visible_bounds.center();
    keyboard.is_none_or(|keyboard| !keyboard.contains(x, y))
}

/// Whether anything in the container is another or elsewhere: a clock beside it does not count.
fn moved(before: &Observation, now: &Observation, container: Option<u32>) -> bool {
    let (all, _) = changes(before, now, usize::MAX);
    let Some(was) = container else { return !all.is_empty() };
    let Some(is) = counterpart(was, &before.tree, &now.tree) else { return true };
    let below = |tree: &Tree, root: u32, index: Option<u32>| {
        let mut at = index;
        while let Some(index) = at {
            if index == root {
                return true;
            }
            at = tree.get(index).and_then(|element| element.parent).filter(|parent| *parent < index);
        }
        false
    };
    all.iter().any(|change| below(&now.tree, is, change.now) || below(&before.tree, was, change.was))
}
