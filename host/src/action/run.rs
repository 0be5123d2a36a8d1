//! One action from its target to its envelope.

use std::sync::Arc;
use std::time::Duration;

use handset_model::snapshot::Observation;
use handset_model::ui::{ElementView, Match, Selector, element_json, interactable, resolve_target};
use handset_model::{Code, Failure};
use serde_json::{Map, Value, json};

use super::dispatch::{Shot, Shown, dispatch};
use super::envelope::{ActionReport, Delivery, TraceStep};
use super::guard::{ConditionReport, Guard, GuardArgs};
use super::verify::{Status, Verification, verify};
use super::{Controls, VerificationMode, device_json};
use crate::budget::Budget;
use crate::device::{Input, LaneTurn, Session};
use crate::plugin::{PendingInput, Plugins, TimelineData};
use crate::process::Processes;
use crate::request::Request;
use crate::wait::{Condition, ElementWait, Reads, Wanted, wait_for_element};

/// What every action needs of the house.
#[derive(Clone, Copy, Debug)]
pub struct ActionContext<'a> {
    /// The device.
    pub session: &'a Session,
    /// The call.
    pub request: &'a Request,
    /// Guards are asked here.
    pub plugins: &'a Plugins,
    /// Input is spawned here.
    pub processes: &'a Processes,
    /// Bounds all of it, guard and verification included.
    pub outer: &'a Budget,
}

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

/// Who else uses the read after a light action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SharedRead {
    /// Nobody: the action makes its own.
    #[default]
    None,
    /// The next step of a journey makes it: the caller fills in the verification.
    NextStep,
}

/// One action as a tool asks for it.
#[derive(Clone, Debug)]
pub struct Action {
    /// Tool name.
    pub action_type: &'static str,
    /// The target.
    pub aim: Aim,
    /// The input, once the target's point is known; for [`Aim::Nothing`] and points, the input as it stands.
    pub input: Input,
    /// Controls in force.
    pub controls: Controls,
    /// Guards.
    pub guard: GuardArgs,
    /// The arguments as shown to predicates: typed text replaced by its length.
    pub arguments: Value,
    /// Who makes the light read.
    pub shared: SharedRead,
    /// The app that must be in front afterwards.
    pub app: Option<String>,
}

/// A target found on a screen.
struct Found {
    observation: Arc<Observation>,
    target: Match,
    point: (i32, i32),
}

/// Runs one action to its report. Whatever fails is in the report: the envelope is the same.
pub async fn run(context: ActionContext<'_>, action: Action) -> ActionReport {
    let ActionContext { session, request, .. } = context;
    let clock = session.screens.clock();
    let mut report = ActionReport {
        action_id: request.id.clone(),
        action_type: action.action_type,
        source_module: if action.app.is_some() { "manage" } else { "interact" },
        timestamp: clock.wall_ms(),
        controls: action.controls,
        device: device_json(&session.pinned, None),
        selector: action.aim.to_json(),
        resolved: None,
        failure: None,
        delivery: Delivery::NotDelivered,
        dispatch_started: false,
        verification: Verification::not_requested(action.controls.verification),
        condition: None,
        checks: Vec::new(),
        before: None,
        base: None,
        details: Map::new(),
        trace: Vec::new(),
        timings: request.timings.clone(),
    };
    if let Ok(facts) = session.facts(request, context.outer).await {
        report.device = device_json(&session.pinned, Some(&facts));
    }
    if let Err(failure) = act(context, &action, &mut report).await {
        if action.guard.is_some() && report.condition.is_none() {
            report.condition = Some(ConditionReport::not_checked(action.guard.expected.clone()));
        }
        report.failure = Some(failure);
    }
    report
}

async fn act(context: ActionContext<'_>, action: &Action, report: &mut ActionReport) -> Result<(), Failure> {
    let ActionContext { session, request, plugins, processes, outer } = context;
    let clock = session.screens.clock();
    // Instances first: after the guard's read nothing is left but to ask.
    let guard = if action.guard.is_some() {
        plugins.ready(outer).await?;
        Some(request.timings.time("plugin_ms", action.guard.prepare(plugins)).await?)
    } else {
        None
    };
    let mut history = TimelineData::default();
    if let Aim::Selector { selector, wait: Some(wait) } = &action.aim {
        request.timings.time("target_resolution_ms", wait_for_target(context, selector, *wait, &mut history)).await?;
    }

    let budget = outer.child(action.controls.action);
    let turn = session.enter(request, &budget).await.map_err(not_reached)?;
    let found = match resolve(context, action, &budget, guard.is_some(), report).await {
        Ok(found) => found,
        Err((failure, leftover)) => {
            trace(report, "resolve", clock.wall_ms(), "failure");
            if let Some(leftover) = leftover {
                turn.leave_behind(Arc::clone(&session.adapter), session.pinned.clone(), leftover);
            }
            return Err(failure);
        }
    };
    trace(report, "resolve", clock.wall_ms(), "success");
    let mut input = action.input.clone();
    if let Some(found) = &found {
        history.observations.push(Arc::clone(&found.observation));
        if let Input::Tap { x, y } = &mut input {
            (*x, *y) = found.point;
        }
    }
    let prepared = session.adapter.prepare(&session.pinned, input, &budget).await.map_err(not_reached)?;
    let shown = fire(context, action, report, Loaded { prepared, guard, found, history, budget, turn, processes }).await;
    settle(report, shown, clock.wall_ms())?;
    finish(context, action, report).await
}

/// An action whose preparation ran out of time was not delivered and may be sent again.
fn not_reached(failure: Failure) -> Failure {
    match failure.code {
        Code::Timeout => Failure { code: Code::ActionTimeout, ..failure }.with_retryable(true),
        _ => failure,
    }
}

struct Loaded<'a> {
    prepared: crate::device::Prepared,
    guard: Option<Guard>,
    found: Option<Found>,
    history: TimelineData,
    budget: Budget,
    turn: LaneTurn,
    processes: &'a Processes,
}

async fn fire(context: ActionContext<'_>, action: &Action, report: &ActionReport, loaded: Loaded<'_>) -> Shown {
    let pending = PendingInput {
        tool: action.action_type.to_owned(),
        arguments: action.arguments.clone(),
        target: None,
        target_before: None,
    };
    tracing::debug!(request = %report.action_id, tool = action.action_type, "dispatching");
    let shot = Shot {
        session: context.session,
        request: context.request,
        processes: loaded.processes,
        prepared: loaded.prepared,
        guard: loaded.guard,
        resolved: loaded.found.map(|found| (found.observation, found.target.target)),
        pending,
        history: loaded.history,
        action: loaded.budget,
        outer: context.outer.clone(),
    };
    dispatch(shot, loaded.turn).await
}

/// Takes over what the dispatch boundary saw.
fn settle(report: &mut ActionReport, shown: Shown, now: u64) -> Result<(), Failure> {
    report.dispatch_started = shown.started;
    report.condition = shown.condition;
    report.checks = shown.checks;
    if report.before.is_none() {
        // Declared before the guard's read began: it is the last look before the input.
        report.before = report.condition.as_ref().and_then(|condition| condition.observed.clone());
    }
    match shown.result {
        Ok(accepted) => {
            report.delivery = Delivery::Delivered;
            trace(report, "execute", now, "success");
            if !accepted.output.is_empty() {
                report.details.insert("output".into(), json!(accepted.output));
            }
            if let Some(launch) = accepted.launch_time_ms {
                report.details.insert("launch_time_ms".into(), json!(launch));
            }
            Ok(())
        }
        Err(failure) => {
            let blocked = matches!(failure.code, Code::PreconditionFailed | Code::PreconditionUnavailable);
            report.delivery = match (shown.started, failure.code) {
                (false, _) => Delivery::NotDelivered,
                (true, Code::ActionTimeout | Code::Cancelled | Code::DeviceOffline) => Delivery::Unknown,
                (true, _) => Delivery::NotDelivered,
            };
            trace(report, "execute", now, if blocked { "blocked" } else { "failure" });
            Err(failure)
        }
    }
}

/// Verification, and what the tool itself has to tell.
async fn finish(context: ActionContext<'_>, action: &Action, report: &mut ActionReport) -> Result<(), Failure> {
    let ActionContext { session, request, outer, .. } = context;
    report.base = session.newest();
    if action.shared == SharedRead::NextStep && action.controls.verification == VerificationMode::Light {
        return Ok(());
    }
    let before = report.before.clone();
    report.verification =
        request.timings.time("verification_ms", verify(session, request, &action.controls, before.as_ref(), outer)).await;
    let status = report.verification.status;
    if status != Status::NotRequested {
        let result = if status == Status::Unavailable { "unavailable" } else { "success" };
        trace(report, "verify", session.screens.clock().wall_ms(), result);
    }
    let Some(app) = &action.app else { return Ok(()) };
    report.details.insert("device_id".into(), json!(session.pinned.key.id));
    let Some(after) = &report.verification.after else { return Ok(()) };
    let package = after.screen.package.as_deref().or(after.tree.package.as_deref());
    let wanted = app.split('/').next().unwrap_or(app);
    let in_front = package.is_none_or(|package| package == wanted);
    report.details.insert(
        "observed_app".into(),
        json!({
            "appId": wanted,
            "package": package,
            "activity": after.screen.activity,
            "matchedTarget": package == Some(wanted),
        }),
    );
    if in_front || action.controls.verification != VerificationMode::Full {
        return Ok(());
    }
    report.verification.status = Status::Failed;
    Err(Failure::new(
        Code::VerificationFailed,
        format!("{wanted} was started, but {} is in front", package.unwrap_or("another app")),
    ))
}

fn trace(report: &mut ActionReport, stage: &'static str, timestamp: u64, result: &'static str) {
    report.trace.push(TraceStep { stage, timestamp, result });
}

/// waitFor has its own timeout and comes before resolving; its reads are not the resolving one.
async fn wait_for_target(context: ActionContext<'_>, selector: &Selector, wait: WaitFor, history: &mut TimelineData) -> Result<(), Failure> {
    let ActionContext { session, request, outer, .. } = context;
    let mut reads = Reads::new(session, request, outer.child(wait.timeout), wait.interval, None);
    let element = ElementWait { wanted: Wanted::Selector(selector.clone()), condition: wait.condition, index: wait.index, needed: 1 };
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

type Unresolved = (Failure, Option<crate::device::Leftover>);

/// One read finds the target; in full mode it also gives the fingerprint before, also where there is no target.
async fn resolve(
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
                None => session.adapter.display(&session.pinned, budget).await.map_err(|failure| (not_reached(failure), None))?,
            };
            for (member, x, y) in points {
                let inside = u32::try_from(*x).is_ok_and(|x| x < size.width) && u32::try_from(*y).is_ok_and(|y| y < size.height);
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

fn found(session: &Session, observation: Arc<Observation>, target: Match, report: &mut ActionReport) -> Result<Found, Failure> {
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
    let Some(element) = tree.get(target.target) else {
        return Err(Failure::new(Code::ElementNotFound, "the target is not in the tree"));
    };
    let point = element.visible_bounds.center();
    if element.visible_bounds.is_empty() {
        return Err(Failure::new(Code::ElementNotInteractable, "nothing of the target is on the display"));
    }
    let keyboard = tree.keyboard.filter(|keyboard| keyboard.shown).and_then(|keyboard| keyboard.bounds);
    let on_keyboard = tree.windows.get(element.window as usize).is_some_and(|window| window.kind.as_deref() == Some("input_method"));
    if !on_keyboard && keyboard.is_some_and(|keyboard| keyboard.contains(point.0, point.1)) {
        return Err(Failure::new(Code::Covered, "the keyboard covers the target's centre"));
    }
    Ok(Found { observation, target, point })
}

impl Aim {
    fn to_json(&self) -> Value {
        match self {
            Self::Nothing => Value::Null,
            Self::Points(points) => {
                points.iter().map(|(_, x, y)| json!({ "x": x, "y": y })).collect()
            }
            Self::Selector { selector, .. } => json!(selector),
            Self::ElementId(id) => json!({ "elementId": id }),
        }
    }
}

