//! One action from its target to its envelope.

use std::sync::Arc;
use std::time::Duration;

use handset_model::{Code, Failure};
use serde_json::{Map, Value, json};

use super::dispatch::{Shot, Shown, dispatch};
use super::envelope::{ActionReport, Delivery, TraceStep};
use super::guard::{ConditionReport, Guard, GuardArgs};
use super::readback::read_back;
use super::target::{Element, look_before, not_reached, resolve, wait_for_target};
use super::verify::{Status, Verification, front, verify};
use super::{Aim, Controls, VerificationMode, device_json};
use crate::budget::Budget;
use crate::device::{Input, LaneTurn, Session};
use crate::plugin::{PendingInput, Plugins, TimelineData};
use crate::process::Processes;
use crate::request::Request;

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
    /// The input; its points are those the aim comes to.
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

/// Runs one action to its report. Whatever fails is in the report: the envelope is the same.
pub async fn run(context: ActionContext<'_>, action: Action) -> ActionReport {
    let ActionContext { session, request, .. } = context;
    let mut report = ActionReport::begun(context, action.action_type, action.controls, action.aim.to_json());
    if let Input::StartApp { .. } | Input::RestartApp { .. } | Input::Manage { .. } = action.input {
        report.source_module = "manage";
    }
    let acted = match session.facts(request, context.outer).await {
        Ok(facts) => {
            report.device = device_json(&session.pinned, facts.as_ref());
            act(context, &action, &mut report).await
        }
        Err(failure) => Err(failure),
    };
    if let Err(failure) = acted {
        session.screens.lost(&session.pinned.key, &failure);
        if action.guard.is_some() && report.condition.is_none() {
            report.condition = Some(ConditionReport::not_checked(action.guard.expected.clone()));
        }
        report.failure = Some(failure);
    }
    report
}

impl ActionReport {
    /// A report of an action that has done nothing yet.
    pub(super) fn begun(
        context: ActionContext<'_>,
        action_type: &'static str,
        controls: Controls,
        selector: Value,
    ) -> Self {
        let ActionContext { session, request, .. } = context;
        Self {
            action_id: request.id.clone(),
            action_type,
            source_module: "interact",
            timestamp: session.screens.clock().wall_ms(),
            controls,
            device: device_json(&session.pinned, None),
            selector,
            resolved: None,
            failure: None,
            delivery: Delivery::NotDelivered,
            dispatch_started: false,
            verification: Verification::not_requested(controls.verification),
            condition: None,
            checks: Vec::new(),
            before: None,
            base: None,
            details: Map::new(),
            beside: Map::new(),
            doubt: None,
            trace: Vec::new(),
            attempts: 0,
            max_attempts: 1,
            timings: request.timings.clone(),
        }
    }
}

async fn act(context: ActionContext<'_>, action: &Action, report: &mut ActionReport) -> Result<(), Failure> {
    let ActionContext { session, request, plugins, processes, outer } = context;
    let clock = session.screens.clock();
    session.adapter.offers(&action.input)?;
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

    let aimed = matches!(action.aim, Aim::Selector { .. } | Aim::ElementId(_) | Aim::Dialog { .. });
    if !aimed && guard.is_none() && action.controls.verification == VerificationMode::Full {
        look_before(context, action, report).await?;
    }

    let budget = outer.child(action.controls.action);
    let turn = session.enter(request, &budget).await.map_err(not_reached)?;
    let found = match resolve(context, action, &budget, report).await {
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
    if let Some(element) = &found.element {
        history.observations.push(Arc::clone(&element.observation));
    }
    let mut input = action.input.clone().at(&found.points);
    if let (Input::Text(typing), Some(element)) = (&mut input, &found.element) {
        typing.standing = element.standing();
    }
    let prepared = session.adapter.prepare(&session.pinned, input, &budget);
    let prepared = request.timings.time("capability_check_ms", prepared).await.map_err(not_reached)?;
    report.details.extend(prepared.notes.clone());
    if prepared.commands.is_empty() {
        trace(report, "execute", clock.wall_ms(), "success");
        if action.guard.is_some() {
            report.condition = Some(ConditionReport::not_checked(action.guard.expected.clone()));
        }
        return Ok(());
    }
    let element = found.element;
    let more = more_time(action, &prepared);
    report.controls.action += more;
    let budget = if more.is_zero() { budget } else { outer.child(budget.remaining() + more) };
    let shown =
        fire(context, action, report, Loaded { prepared, guard, element, history, budget, turn, processes }).await;
    settle(report, shown, clock.wall_ms())?;
    finish(context, action, report).await
}

/// What each command beyond the first may take on an old device, whose `input` starts a JVM.
const STROKE: Duration = Duration::from_millis(700);

/// What a character's two key events may take in an app that does something at each.
const CHARACTER: Duration = Duration::from_millis(10);

/// Characters that the default is meant for.
const SHORT: u32 = 100;

/// However long a text is, typing it ends.
const TYPING: Duration = Duration::from_secs(180);

/// Nobody knows beforehand how many commands a text takes: where no time was given for it, it has this much beyond the default.
fn more_time(action: &Action, prepared: &crate::device::Prepared) -> Duration {
    let Input::Text(typing) = &action.input else { return Duration::ZERO };
    if !action.controls.grows {
        return Duration::ZERO;
    }
    let characters = u32::try_from(typing.text.chars().count()).unwrap_or(u32::MAX);
    let more = STROKE.saturating_mul(prepared.strokes.saturating_sub(1))
        + CHARACTER.saturating_mul(characters.saturating_sub(SHORT));
    (more + Duration::from_millis(u64::from(prepared.gesture_ms))).min(TYPING)
}

struct Loaded<'a> {
    prepared: crate::device::Prepared,
    guard: Option<Guard>,
    element: Option<Element>,
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
        resolved: loaded.element.map(|element| (element.observation, element.target.target)),
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
    report.delivery = shown.delivery;
    report.condition = shown.condition;
    report.checks = shown.checks;
    if report.before.is_none() {
        // Declared before the guard's read began: it is the last look before the input.
        report.before = report.condition.as_ref().and_then(|condition| condition.observed.clone());
    }
    match shown.result {
        Ok(accepted) => {
            trace(report, "execute", now, "success");
            if !accepted.output.is_empty() {
                report.details.insert("output".into(), json!(accepted.output));
            }
            if let Some(launch) = accepted.launch_time_ms {
                report.details.insert("launch_time_ms".into(), json!(launch));
            }
            if let Some(way) = accepted.way {
                report.details.insert("way".into(), json!(way));
            }
            report.details.extend(accepted.details);
            report.doubt = accepted.doubt;
            Ok(())
        }
        Err(failure) => {
            let blocked = matches!(failure.code, Code::PreconditionFailed | Code::PreconditionUnavailable);
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
    report.verification = request
        .timings
        .time("verification_ms", verify(session, request, &action.controls, before.as_ref(), app_id(action), outer))
        .await;
    let status = report.verification.status;
    if status != Status::NotRequested {
        let result = if status == Status::Unavailable { "unavailable" } else { "success" };
        trace(report, "verify", session.screens.clock().wall_ms(), result);
    }
    if let Input::Text(typing) = &action.input
        && action.controls.verification == VerificationMode::Full
    {
        let (before, after) = (report.before.clone(), report.verification.after.clone());
        let compared = read_back(typing, before.as_deref(), after.as_deref(), &mut report.details);
        if compared.is_err() {
            report.verification.status = Status::Failed;
        }
        return compared;
    }
    if action.input == Input::HideKeyboard && report.delivery == Delivery::Delivered {
        return gone(context, action, report).await;
    }
    let Some(app) = &action.app else { return Ok(()) };
    report.details.insert("device_id".into(), json!(session.pinned.key.id));
    let Some(after) = &report.verification.after else { return Ok(()) };
    let package = front(after);
    let wanted = app_id(action).unwrap_or(app);
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

/// Whether the keyboard went away, where a look afterwards was asked for.
async fn gone(context: ActionContext<'_>, action: &Action, report: &mut ActionReport) -> Result<(), Failure> {
    let ActionContext { session, outer, .. } = context;
    if action.controls.verification == VerificationMode::None {
        return Ok(());
    }
    let budget = outer.child(action.controls.verify);
    let shown = session.adapter.keyboard(&session.pinned, &budget).await.ok().flatten().map(|keyboard| keyboard.shown);
    report.details.insert("keyboard_shown".into(), json!(shown));
    if shown != Some(true) {
        return Ok(());
    }
    report.verification.status = Status::Failed;
    Err(Failure::new(Code::VerificationFailed, "back was pressed, and the keyboard is still shown"))
}

/// The package that must be in front afterwards.
fn app_id(action: &Action) -> Option<&str> {
    action.app.as_deref().map(|app| app.split('/').next().unwrap_or(app))
}

pub(super) fn trace(report: &mut ActionReport, stage: &'static str, timestamp: u64, result: &'static str) {
    let attempt = report.attempts.saturating_sub(1);
    report.trace.push(TraceStep { stage, timestamp, result, attempt });
}
