//! Bringing a control to a value, by what it shows after each touch.

use std::sync::Arc;
use std::time::Duration;

use handset_model::snapshot::{Observation, counterpart};
use handset_model::ui::{Control, ControlValue, Selector, Track, interactable};
use handset_model::{Code, Failure};
use serde_json::{Map, Value, json};

use super::args::{AdjustControlArgs, AdjustProperty};
use super::resolved::resolved;
use super::waits::wanted;
use super::{Answer, Call, OUTER};
use crate::action::{ControlArgs, Controls, Course, Defaults, Move, Series, VerificationMode, run_series};
use crate::device::{Input, Session};
use crate::wait::Wanted;

/// A tool that states no timeout has this in all (contract §4), ms.
const ALL: Defaults = Defaults { action_ms: 25_000 };

/// Taps of one control in all: a wheel is turned one number at a time.
const TAPS: u32 = 100;

/// Looks at a value that has not moved yet before another touch: what is set over the network follows late.
const LATE_LOOKS: u32 = 3;
/// Between them.
const LATE: Duration = Duration::from_millis(300);

/// How long a drag along a track takes, ms: no fling.
const DRAG_MS: u32 = 600;

pub(super) async fn adjust_control(call: Call) -> Result<Answer, Failure> {
    let args: AdjustControlArgs = call.parse()?;
    let wanted = wanted(args.selector.as_ref(), args.element_id.as_ref())?;
    let (kind, target) = match (&args.target_value, args.property.unwrap_or_default()) {
        (Value::Bool(on), _) => (ControlValue::Checked, f64::from(u8::from(*on))),
        (value, AdjustProperty::Value) => (ControlValue::Number, value.as_f64().unwrap_or(f64::NAN)),
        (_, AdjustProperty::Checked) => {
            return Err(Failure::argument("targetValue", "checked is true or false"));
        }
    };
    if !target.is_finite() {
        return Err(Failure::argument("targetValue", "targetValue is a finite number"));
    }
    let session = call.session(&args.target).await?;
    let outer = call.budget(OUTER);
    let context = call.action_context(&session, &outer);
    // Its own reads say what came of each touch: there is nothing left for a verification to see.
    let controls = ControlArgs { verification_mode: Some(VerificationMode::Light), ..ControlArgs::default() };
    let most = args.max_attempts.unwrap_or(3);
    let series = Series {
        action_type: "adjust_control",
        selector: args
            .selector
            .as_ref()
            .map_or_else(|| json!({ "elementId": args.element_id }), |selector| json!(selector)),
        controls: Controls { ..controls.resolve(ALL) },
        arguments: json!({ "targetValue": args.target_value }),
        most,
    };
    let mut course = Adjusting {
        wanted,
        kind,
        target,
        tolerance: args.tolerance.unwrap_or(0.0),
        most,
        shown_target: args.target_value.clone(),
        last: None,
        attempts: 0,
        track: None,
        mode: None,
        walking: None,
        resolved: None,
        raw: None,
        looks: 0,
    };
    Ok(Answer::Action(Box::new(run_series(context, &series, &mut course).await)))
}

struct Adjusting {
    wanted: Wanted,
    kind: ControlValue,
    target: f64,
    tolerance: f64,
    most: u32,
    shown_target: Value,
    /// The control in the last look, with what it showed there.
    last: Option<(Arc<Observation>, u32, f64)>,
    attempts: u32,
    /// What is known of the track, and where the last touch was.
    track: Option<(Track, f64)>,
    mode: Option<&'static str>,
    /// Which way the number is being walked.
    walking: Option<bool>,
    resolved: Option<Value>,
    raw: Option<String>,
    /// Looks since the last touch.
    looks: u32,
}

impl Course for Adjusting {
    fn next(&mut self, session: &Session, seen: &Arc<Observation>, sent: u32) -> Result<Move, Failure> {
        let matched = self.locate(session, seen)?;
        let control = Control::find(&seen.tree, matched, self.kind)?;
        let (element, now) = (control.element(), control.number());
        self.resolved = Some(resolved(&session.screens, seen, element));
        self.raw = seen.tree.get(element).and_then(|element| element.text.clone());
        let before = self.last.replace((Arc::clone(seen), element, now)).map(|(.., value)| value);
        if self.reached(now) {
            return Ok(Move::Done);
        }
        if let Some(before) = before.filter(|_| sent > 0) {
            if before == now && self.looks < LATE_LOOKS {
                self.looks += 1;
                return Ok(Move::Look(LATE));
            }
            if let Some((track, place)) = &mut self.track {
                track.learn(*place, now, self.target);
            }
        }
        self.looks = 0;
        self.touch(seen, &control, before.filter(|_| sent > 0), sent)
    }

    fn resolved(&self) -> Option<Value> {
        self.resolved.clone()
    }

    fn told(&self, _: u32) -> (Map<String, Value>, Map<String, Value>) {
        let property = if self.kind == ControlValue::Checked { "checked" } else { "value" };
        let now = self.last.as_ref().map(|(.., value)| *value);
        let value = now.map(|now| if self.kind == ControlValue::Checked { json!(now != 0.0) } else { json!(now) });
        let mut actual = json!({ "property": property, "value": value });
        if let Some(raw) = self.raw.as_ref().filter(|_| self.kind == ControlValue::Number) {
            actual["raw_value"] = json!(raw);
        }
        let within = now.is_some_and(|now| self.reached(now));
        let mut beside = Map::new();
        beside.insert(
            "target_state".into(),
            json!({ "property": property, "target_value": self.shown_target, "tolerance": self.tolerance }),
        );
        beside.insert("actual_state".into(), actual);
        beside.insert("within_tolerance".into(), json!(within));
        beside.insert("converged".into(), json!(within));
        beside.insert("attempts".into(), json!(self.attempts));
        if let Some(mode) = self.mode {
            beside.insert("adjustment_mode".into(), json!(mode));
        }
        (Map::new(), beside)
    }
}

impl Adjusting {
    fn reached(&self, now: f64) -> bool {
        (now - self.target).abs() <= self.tolerance + f64::EPSILON * self.target.abs().max(1.0)
    }

    /// The control itself once it is known, wherever it stands by now; at first what was asked for.
    fn locate(&self, session: &Session, seen: &Observation) -> Result<u32, Failure> {
        let gone = || Failure::new(Code::StaleReference, "the control is not on the screen any more");
        if let Some((before, element, _)) = &self.last {
            if let Some(index) = counterpart(*element, &before.tree, &seen.tree) {
                return Ok(index);
            }
            // A control without a stable id is known by what it shows, which is what changes: by its place and class then.
            let same = |index: &u32| {
                let (was, is) = (before.tree.get(*element), seen.tree.get(*index));
                was.zip(is).is_some_and(|(was, is)| was.class == is.class && was.bounds == is.bounds)
            };
            let all = 0..u32::try_from(seen.tree.elements.len()).unwrap_or(u32::MAX);
            let there: Vec<u32> = all.filter(same).collect();
            return if let [only] = there.as_slice() { Ok(*only) } else { Err(gone()) };
        }
        match &self.wanted {
            Wanted::ElementId(id) => session
                .screens
                .locate(id, seen)
                .map_err(|failure| Failure { member: failure.member.map(|_| "element_id".to_owned()), ..failure }),
            Wanted::Selector(selector) => one(selector, session, seen),
        }
    }

    /// The next touch, or why there is none.
    fn touch(
        &mut self,
        seen: &Observation,
        control: &Control,
        before: Option<f64>,
        sent: u32,
    ) -> Result<Move, Failure> {
        let tap = |(x, y)| Move::Send(Input::Tap { x, y });
        match *control {
            Control::Toggle { element, radio, .. } => {
                if radio && self.target == 0.0 {
                    let why = "a radio button is turned off by turning on another one of its group";
                    return Err(Failure::new(Code::SemanticMismatch, why));
                }
                self.attempt()?;
                self.mode = Some("semantic");
                let target = interactable(&seen.tree, element)?;
                let point = target.point(&seen.tree).ok_or_else(nothing_to_touch)?;
                Ok(tap(uncovered(seen, point)?))
            }
            Control::Steps { value, more, less, .. } => {
                let up = self.target > value;
                let nearer = before.is_none_or(|before| (value - self.target).abs() < (before - self.target).abs());
                // One attempt walks as long as it comes nearer; turning round or standing still is another one.
                if self.walking != Some(up) || !nearer {
                    self.attempt()?;
                }
                if sent >= TAPS {
                    return Err(self.failed(&format!("{TAPS} taps did not bring it there")));
                }
                self.walking = Some(up);
                self.mode = Some("semantic");
                let point = if up { more } else { less };
                let way = if up { "more" } else { "less" };
                let point = point.ok_or_else(|| {
                    Failure::new(Code::SemanticMismatch, format!("nothing of the control makes its number {way}"))
                })?;
                Ok(tap(uncovered(seen, point)?))
            }
            Control::Track { value, range, track, .. } => self.slide(seen, value, range, track, before),
        }
    }

    fn slide(
        &mut self,
        seen: &Observation,
        value: f64,
        range: Option<(f64, f64)>,
        bounds: handset_model::ui::Rect,
        before: Option<f64>,
    ) -> Result<Move, Failure> {
        if let Some((least, most)) = range.filter(|(least, most)| self.target < *least || self.target > *most) {
            let why = format!("{} is outside the control's range {least} to {most}", self.target);
            return Err(Failure::new(Code::SemanticMismatch, why));
        }
        self.attempt()?;
        // A range that is not told is taken for the usual one until touches say otherwise.
        let guessed = (0.0_f64.min(self.target).min(value), 100.0_f64.max(self.target).max(value));
        let (track, last) =
            self.track.take().unwrap_or_else(|| (Track::new(bounds, range.unwrap_or(guessed)), f64::NAN));
        let mut place = track.place(self.target);
        if (place - last).abs() < 1e-9 {
            // The same place again would bring the same: half a step to the side it missed.
            place = (place + if value < self.target { 0.01 } else { -0.01 }).clamp(0.0, 1.0);
        }
        let point = uncovered(seen, track.point(place))?;
        let stood_still = before == Some(value);
        let from = track.point(track.place(value));
        self.track = Some((track, place));
        if stood_still {
            // It takes no taps: its thumb is dragged.
            self.mode = Some("gesture");
            let ((x1, y1), (x2, y2)) = (uncovered(seen, from)?, point);
            return Ok(Move::Send(Input::Swipe { x1, y1, x2, y2, duration_ms: DRAG_MS }));
        }
        self.mode = Some(if range.is_some() { "semantic" } else { "coordinate" });
        Ok(Move::Send(Input::Tap { x: point.0, y: point.1 }))
    }

    fn attempt(&mut self) -> Result<(), Failure> {
        if self.attempts >= self.most {
            return Err(self.failed(&format!("{} attempts did not bring it there", self.attempts)));
        }
        self.attempts += 1;
        Ok(())
    }

    fn failed(&self, why: &str) -> Failure {
        let now = self.last.as_ref().map_or(Value::Null, |(.., value)| json!(value));
        Failure::new(Code::ControlConvergenceFailed, format!("it is at {now}, not {}: {why}", self.shown_target))
    }
}

fn nothing_to_touch() -> Failure {
    Failure::new(Code::ElementNotInteractable, "nothing of the control is on the display")
}

/// A point that the keyboard does not cover.
fn uncovered(seen: &Observation, point: (i32, i32)) -> Result<(i32, i32), Failure> {
    let keyboard = seen.tree.keyboard.filter(|keyboard| keyboard.shown).and_then(|keyboard| keyboard.bounds);
    if keyboard.is_some_and(|keyboard| keyboard.contains(point.0, point.1)) {
        return Err(Failure::new(Code::Covered, "the keyboard covers the control"));
    }
    Ok(point)
}

/// The one match of a selector that can be seen.
fn one(selector: &Selector, session: &Session, seen: &Observation) -> Result<u32, Failure> {
    let tree = &seen.tree;
    let all = selector.find(tree);
    let visible = |index: &u32| tree.get(*index).is_some_and(|element| element.traits.visible);
    let mut found: Vec<u32> = all.iter().copied().filter(visible).collect();
    if found.is_empty() {
        found = all;
    }
    match found.as_slice() {
        [] => Err(Failure::new(Code::ElementNotFound, "No element matches the selector.")),
        [only] => Ok(*only),
        several => {
            let shown = several.iter().take(handset_model::code::MAX_CANDIDATES);
            let candidates = shown.map(|index| resolved(&session.screens, seen, *index)).collect();
            let message = format!("{} elements match the selector.", several.len());
            Err(Failure::new(Code::AmbiguousTarget, message).with_candidates(candidates))
        }
    }
}
