//! Finding what an input is aimed at, on one fresh read.

use std::sync::Arc;
use std::time::Duration;

use handset_model::snapshot::Observation;
use handset_model::ui::{
    DialogAnswer, ElementView, Match, Selector, dialog_button, element_json, interactable, resolve_target,
};
use handset_model::{Code, Failure};
use serde_json::{Value, json};

use super::envelope::ActionReport;
use super::points::Points;
use super::{Action, ActionContext};
use crate::budget::Budget;
use crate::device::{Leftover, Session};
use crate::plugin::TimelineData;
use crate::request::Purpose;
use crate::wait::{Condition, ElementWait, Reads, Wanted, wait_for_element};

/// Waiting for a target before it is resolved (contract §6).
#[derive(Clone, Copy, Debug)]
pub struct WaitFor {
    /// exists, visible or clickable.
    pub condition: Condition,
    /// Its own budget.
    pub timeout: Duration,
    /// Between reads.
    pub interval: Duration,
    /// Which match.
    pub index: Option<u32>,
}

/// What the input is aimed at.
#[derive(Clone, Debug)]
pub enum Aim {
    /// Nothing on the screen: text, keys, an app.
    Nothing,
    /// Points of the display, checked against its size.
    Points(Points),
    /// An element, by selector.
    Selector {
        /// Which.
        selector: Selector,
        /// Waited for first.
        wait: Option<WaitFor>,
    },
    /// An element, by handle.
    ElementId(String),
    /// A button of a dialog of the system's.
    Dialog {
        /// What it is to mean.
        answer: DialogAnswer,
        /// Which; the first that means it, where none is named.
        button: Option<String>,
    },
}

/// An element found on a screen.
pub(super) struct Element {
    pub(super) observation: Arc<Observation>,
    pub(super) target: Match,
}

impl Element {
    /// Characters that stand in it, where it is a field that shows them.
    pub(super) fn standing(&self) -> Option<usize> {
        let field = self.observation.tree.get(self.target.target)?;
        let shows = field.traits.editable && !field.traits.password;
        shows.then(|| field.text.as_deref().unwrap_or_default().chars().count())
    }
}

/// Where an input goes.
#[derive(Default)]
pub(super) struct Found {
    pub(super) element: Option<Element>,
    pub(super) points: Vec<(i32, i32)>,
}

/// An action whose preparation ran out of time was not delivered and may be sent again.
pub(super) fn not_reached(failure: Failure) -> Failure {
    match failure.code {
        Code::Timeout => Failure { code: Code::ActionTimeout, ..failure }.with_retryable(true),
        _ => failure,
    }
}

/// waitFor has its own timeout and comes before resolving; its reads are not the resolving one.
pub(super) async fn wait_for_target(
    context: ActionContext<'_>,
    selector: &Selector,
    wait: WaitFor,
    history: &mut TimelineData,
) -> Result<(), Failure> {
    let ActionContext { session, request, outer, .. } = context;
    let mut reads = Reads::new(session, request, Purpose::Target, outer.child(wait.timeout), wait.interval);
    let element = ElementWait {
        wanted: Wanted::Selector(selector.clone()),
        condition: wait.condition,
        index: wait.index,
        needed: 1,
    };
    let end = wait_for_element(&mut reads, &session.screens, &element).await;
    *history = std::mem::take(&mut reads.timeline);
    if end.satisfied {
        return Ok(());
    }
    reads.timeline = history.clone();
    if let Some(failure) = reads.saw_nothing() {
        return Err(not_reached(failure));
    }
    let matched = end.last.map_or(0, |(_, verdict)| verdict.matched);
    let code = if matched == 0 { Code::ElementNotFound } else { Code::ElementNotInteractable };
    Err(Failure::new(code, reads.shortfall(end.confirmed, 1, "waitFor.timeoutMs")))
}

pub(super) type Unresolved = (Failure, Option<Leftover>);

/// The screen before an input that is aimed at no element: evidence for a full verification, not a condition. It has
/// the verification's budget, not the action's, and without it the input still goes.
///
/// # Errors
/// Only what ends the action: the device is lost, or the request cancelled.
pub(super) async fn look_before(
    context: ActionContext<'_>,
    action: &Action,
    report: &mut ActionReport,
) -> Result<(), Failure> {
    let ActionContext { session, request, outer, .. } = context;
    let budget = outer.child(action.controls.verify);
    let read = session.observe(request, Purpose::Verification, &budget);
    match request.timings.time("pre_observation_ms", read).await {
        Ok(observation) => report.before = Some(observation),
        Err(failure) if matches!(failure.code, Code::DeviceOffline | Code::DeviceNotFound | Code::Cancelled) => {
            return Err(failure);
        }
        Err(failure) => {
            report.details.insert("pre_observation".into(), failure.to_json());
        }
    }
    Ok(())
}

/// Finds the target on one fresh read inside the lane turn that the input will have; checks points against the display.
pub(super) async fn resolve(
    context: ActionContext<'_>,
    action: &Action,
    budget: &Budget,
    report: &mut ActionReport,
) -> Result<Found, Unresolved> {
    let ActionContext { session, request, .. } = context;
    match &action.aim {
        Aim::Nothing => return Ok(Found::default()),
        Aim::Points(points) => {
            let size = match &report.before {
                Some(before) if points.are_pixels() => Ok(before.tree.resolution),
                _ => request.timings.time("resolution_ms", session.adapter.display(&session.pinned, budget)).await,
            };
            let size = size.map_err(|failure| (not_reached(failure), None))?;
            let points = points.on(size).map_err(|failure| (failure, None))?;
            return Ok(Found { element: None, points });
        }
        Aim::Selector { .. } | Aim::ElementId(_) | Aim::Dialog { .. } => {}
    }
    let (read, leftover) =
        request.timings.time("pre_observation_ms", session.read(request, Purpose::Target, budget)).await;
    let observation = read.map_err(|failure| (not_reached(failure), leftover))?;
    report.before = Some(Arc::clone(&observation));
    let target = match &action.aim {
        Aim::Selector { selector, wait } => {
            resolve_target(&observation.tree, selector, wait.and_then(|wait| wait.index))
        }
        Aim::ElementId(id) => {
            session.screens.locate(id, &observation).and_then(|index| interactable(&observation.tree, index))
        }
        Aim::Dialog { answer, button } => dialog_button(&observation.tree, *answer, button.as_deref()),
        Aim::Nothing | Aim::Points(_) => return Ok(Found::default()),
    };
    target
        .map_err(|failure| with_handles(session, &observation, failure))
        .and_then(|target| found(session, &observation, target, report))
        .map_err(|failure| (failure, None))
}

/// Each candidate with the handle that picks it.
fn with_handles(session: &Session, observation: &Observation, mut failure: Failure) -> Failure {
    for candidate in &mut failure.candidates {
        let index = candidate["index"].as_u64().and_then(|index| u32::try_from(index).ok());
        if let Some(id) = index.and_then(|index| session.screens.element_id(observation, index)) {
            candidate["elementId"] = json!(id);
        }
    }
    failure
}

fn found(
    session: &Session,
    observation: &Arc<Observation>,
    target: Match,
    report: &mut ActionReport,
) -> Result<Found, Failure> {
    let tree = &observation.tree;
    let shown = |index| {
        let id = session.screens.element_id(observation, index);
        element_json(tree, index, ElementView::Resolved, id.as_deref())
    };
    report.resolved = Some(if target.matched == target.target {
        shown(target.target)
    } else {
        let mut resolved = shown(target.target);
        resolved["matched"] = shown(target.matched);
        resolved
    });
    let (Some(element), Some(point)) = (tree.get(target.target), target.point(tree)) else {
        return Err(Failure::new(Code::ElementNotInteractable, "nothing of the target is on the display"));
    };
    let keyboard = tree.keyboard.filter(|keyboard| keyboard.shown).and_then(|keyboard| keyboard.bounds);
    let on_keyboard =
        tree.windows.get(element.window as usize).is_some_and(|window| window.kind.as_deref() == Some("input_method"));
    if !on_keyboard && keyboard.is_some_and(|keyboard| keyboard.contains(point.0, point.1)) {
        return Err(Failure::new(Code::Covered, "the keyboard covers the point to tap"));
    }
    let element = Element { observation: Arc::clone(observation), target };
    Ok(Found { element: Some(element), points: vec![point] })
}

impl Aim {
    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::Nothing => Value::Null,
            Self::Points(points) => points.to_json(),
            Self::Selector { selector, .. } => json!(selector),
            Self::ElementId(id) => json!({ "elementId": id }),
            Self::Dialog { button, .. } => json!({ "button": button }),
        }
    }
}
