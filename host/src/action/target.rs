//! Finding what an input is aimed at, on one fresh read.

use std::sync::Arc;
use std::time::Duration;

use handset_model::snapshot::Observation;
use handset_model::ui::{ElementView, Match, Selector, element_json, interactable, resolve_target};
use handset_model::{Code, Failure};
use serde_json::{Value, json};

use super::envelope::ActionReport;
use super::{Action, ActionContext, VerificationMode};
use crate::budget::Budget;
use crate::device::{Leftover, Session};
use crate::plugin::TimelineData;
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
    Points(Vec<(&'static str, i32, i32)>),
    /// An element, by selector.
    Selector {
        /// Which.
        selector: Selector,
        /// Waited for first.
        wait: Option<WaitFor>,
    },
    /// An element, by handle.
    ElementId(String),
}

/// A target found on a screen.
pub(super) struct Found {
    pub(super) observation: Arc<Observation>,
    pub(super) target: Match,
    pub(super) point: (i32, i32),
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
    let mut reads = Reads::new(session, request, outer.child(wait.timeout), wait.interval, None);
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

/// One read finds the target; in full mode it also gives the fingerprint before, also where there is no target.
pub(super) async fn resolve(
    context: ActionContext<'_>,
    action: &Action,
    budget: &Budget,
    guarded: bool,
    report: &mut ActionReport,
) -> Result<Option<Found>, Unresolved> {
    let ActionContext { session, request, .. } = context;
    let aimed = matches!(action.aim, Aim::Selector { .. } | Aim::ElementId(_));
    let wanted = aimed || (action.controls.verification == VerificationMode::Full && !guarded);
    let observation = if wanted {
        let (read, leftover) = request.timings.time("pre_observation_ms", session.read(request, budget)).await;
        match read {
            Ok(observation) => Some(observation),
            Err(failure) if aimed => return Err((not_reached(failure), leftover)),
            // The fingerprint before is evidence, not a condition: without it the input still goes.
            Err(failure) if budget.check().is_ok() && leftover.is_none() && failure.code != Code::DeviceOffline => {
                report.details.insert("pre_observation".into(), failure.to_json());
                None
            }
            Err(failure) => return Err((not_reached(failure), leftover)),
        }
    } else {
        None
    };
    report.before.clone_from(&observation);
    match &action.aim {
        Aim::Nothing => Ok(None),
        Aim::Points(points) => {
            let size = match &observation {
                Some(observation) => observation.tree.resolution,
                None => session
                    .adapter
                    .display(&session.pinned, budget)
                    .await
                    .map_err(|failure| (not_reached(failure), None))?,
            };
            for (member, x, y) in points {
                let inside =
                    u32::try_from(*x).is_ok_and(|x| x < size.width) && u32::try_from(*y).is_ok_and(|y| y < size.height);
                if !inside {
                    let message = format!("({x}, {y}) is outside the display of {}x{}", size.width, size.height);
                    return Err((Failure::argument(*member, message), None));
                }
            }
            Ok(None)
        }
        Aim::Selector { selector, wait } => {
            let Some(observation) = observation else { return Ok(None) };
            let target = resolve_target(&observation.tree, selector, wait.and_then(|wait| wait.index))
                .map_err(|failure| (with_handles(session, &observation, failure), None))?;
            found(session, observation, target, report).map(Some).map_err(|failure| (failure, None))
        }
        Aim::ElementId(id) => {
            let Some(observation) = observation else { return Ok(None) };
            let index = session.screens.locate(id, &observation).map_err(|failure| (failure, None))?;
            let target = interactable(&observation.tree, index).map_err(|failure| (failure, None))?;
            found(session, observation, target, report).map(Some).map_err(|failure| (failure, None))
        }
    }
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
    observation: Arc<Observation>,
    target: Match,
    report: &mut ActionReport,
) -> Result<Found, Failure> {
    let tree = &observation.tree;
    let shown = |index| {
        let id = session.screens.element_id(&observation, index);
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
    Ok(Found { observation, target, point })
}

impl Aim {
    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::Nothing => Value::Null,
            Self::Points(points) => points.iter().map(|(_, x, y)| json!({ "x": x, "y": y })).collect(),
            Self::Selector { selector, .. } => json!(selector),
            Self::ElementId(id) => json!({ "elementId": id }),
        }
    }
}
