//! Actions of several inputs: look, decide, send one, look again, on one budget. Each input is decided on a fresh read made
//! in its own turn of the lane and goes over the same dispatch boundary as any other; none is ever sent because the one
//! before it may not have arrived.

use std::sync::Arc;
use std::time::Duration;

use handset_model::snapshot::Observation;
use handset_model::{Code, Failure};
use serde_json::{Map, Value, json};

use super::dispatch::{Shot, Shown, dispatch};
use super::envelope::{ActionReport, Delivery};
use super::run::trace;
use super::target::not_reached;
use super::verify::{Status, Verification, verify};
use super::{ActionContext, Controls, VerificationMode, device_json};
use crate::budget::Budget;
use crate::device::{Input, Session};
use crate::plugin::{PendingInput, TimelineData};
use crate::request::Purpose;

/// Between two tries of a read after an input: the screen is still changing.
const AGAIN: Duration = Duration::from_millis(100);

/// What a series does on a read.
#[derive(Debug)]
pub enum Move {
    /// It has come to its end.
    Done,
    /// Nothing yet: look again after a pause.
    Look(Duration),
    /// This input.
    Send(Input),
}

/// Decides, on each read, what comes next, and tells at the end what it came to.
pub trait Course: Send {
    /// What to do now that this is on the screen. `sent` inputs went before, all of them accepted.
    ///
    /// # Errors
    /// What ends the series without having come to its end.
    fn next(&mut self, session: &Session, seen: &Arc<Observation>, sent: u32) -> Result<Move, Failure>;

    /// The target as last seen, for `target.resolved`.
    fn resolved(&self) -> Option<Value>;

    /// What is told in `details` of a debug answer, and what beside the envelope.
    fn told(&self, sent: u32) -> (Map<String, Value>, Map<String, Value>);
}

/// A series as a tool asks for it.
#[derive(Clone, Debug)]
pub struct Series {
    /// Tool name.
    pub action_type: &'static str,
    /// What it is aimed at, as the answer shows it.
    pub selector: Value,
    /// Controls in force; its action time is over every look and every input.
    pub controls: Controls,
    /// Arguments, for the record.
    pub arguments: Value,
    /// Inputs it may send.
    pub most: u32,
}

/// Runs a series to its report.
pub async fn run_series(context: ActionContext<'_>, series: &Series, course: &mut dyn Course) -> ActionReport {
    let ActionContext { session, request, .. } = context;
    let mut report = ActionReport::begun(context, series.action_type, series.controls, series.selector.clone());
    report.max_attempts = series.most;
    let driven = match session.facts(request, context.outer).await {
        Ok(facts) => {
            report.device = device_json(&session.pinned, facts.as_ref());
            drive(context, series, course, &mut report).await
        }
        Err(failure) => Err(failure),
    };
    report.resolved = course.resolved();
    let (details, beside) = course.told(report.attempts);
    report.details.extend(details);
    report.beside = beside;
    match driven {
        Ok(last) => finish(context, series, &mut report, last).await,
        Err(failure) => {
            session.screens.lost(&session.pinned.key, &failure);
            report.failure = Some(failure);
        }
    }
    report
}

/// Looks and sends until the course is done; gives the last look, if it came after an input.
async fn drive(
    context: ActionContext<'_>,
    series: &Series,
    course: &mut dyn Course,
    report: &mut ActionReport,
) -> Result<Option<Arc<Observation>>, Failure> {
    let ActionContext { session, request, outer, .. } = context;
    let budget = outer.child(series.controls.action);
    let clock = session.screens.clock();
    loop {
        let turn = session.enter(request, &budget).await.map_err(not_reached)?;
        let (read, leftover) =
            request.timings.time("pre_observation_ms", session.read(request, Purpose::Target, &budget)).await;
        if let Some(leftover) = leftover {
            turn.leave_behind(Arc::clone(&session.adapter), session.pinned.clone(), leftover);
            return Err(not_reached(read.err().unwrap_or_else(|| Failure::new(Code::Timeout, "a read was cut"))));
        }
        let seen = match read {
            Ok(seen) => seen,
            // What an input set going may not be readable at once; before any input this is the answer.
            Err(failure) if report.attempts > 0 && failure.is_retryable() && failure.code != Code::DeviceOffline => {
                drop(turn);
                if budget.pause(AGAIN).await.is_err() {
                    return Err(not_reached(failure));
                }
                continue;
            }
            Err(failure) => {
                trace(report, "resolve", clock.wall_ms(), "failure");
                return Err(not_reached(failure));
            }
        };
        report.before.get_or_insert_with(|| Arc::clone(&seen));
        let decided = course.next(session, &seen, report.attempts);
        let stage = if report.attempts == 0 { "resolve" } else { "stabilize" };
        trace(report, stage, clock.wall_ms(), if decided.is_ok() { "success" } else { "failure" });
        match decided? {
            Move::Done => return Ok((report.attempts > 0).then_some(seen)),
            Move::Look(pause) => {
                drop(turn);
                budget.pause(pause).await.map_err(|stopped| {
                    stopped.failure(Code::ActionTimeout, "waiting for what the last input would do")
                })?;
            }
            Move::Send(input) => {
                let prepared = session.adapter.prepare(&session.pinned, input, &budget);
                let prepared = request.timings.time("capability_check_ms", prepared).await.map_err(not_reached)?;
                // A gesture that cannot end in time is not begun: where it would be cut is nobody's choice.
                if budget.remaining() < Duration::from_millis(u64::from(prepared.gesture_ms)) {
                    return Err(late(&budget, report.attempts));
                }
                report.attempts += 1;
                let shot = Shot {
                    session,
                    request,
                    processes: context.processes,
                    prepared,
                    guard: None,
                    resolved: None,
                    pending: PendingInput {
                        tool: series.action_type.to_owned(),
                        arguments: series.arguments.clone(),
                        ..PendingInput::default()
                    },
                    history: TimelineData::default(),
                    action: budget.clone(),
                    outer: outer.clone(),
                };
                let shown = dispatch(shot, turn).await;
                let result = if shown.result.is_ok() { "success" } else { "failure" };
                trace(report, "execute", clock.wall_ms(), result);
                took(report, shown)?;
            }
        }
    }
}

fn late(budget: &Budget, sent: u32) -> Failure {
    let left = budget.remaining().as_millis();
    Failure::new(
        Code::ActionTimeout,
        format!("the time ran out after {sent} inputs: no other fits into the {left} ms left"),
    )
}

/// What the dispatch boundary saw of one input, added to what it saw of those before.
fn took(report: &mut ActionReport, shown: Shown) -> Result<(), Failure> {
    let before = report.dispatch_started;
    report.dispatch_started |= shown.started;
    report.delivery = match (before, shown.delivery) {
        // Those before it arrived: the whole is neither sent nor unsent.
        (true, Delivery::NotDelivered) if shown.started => Delivery::Unknown,
        (true, Delivery::NotDelivered) => Delivery::Delivered,
        (_, delivery) => delivery,
    };
    let accepted = shown.result?;
    if !accepted.output.is_empty() {
        report.details.insert("output".into(), json!(accepted.output));
    }
    Ok(())
}

/// The look that ended a series was begun after its last input: it is the light verification's observation.
async fn finish(
    context: ActionContext<'_>,
    series: &Series,
    report: &mut ActionReport,
    last: Option<Arc<Observation>>,
) {
    let ActionContext { session, request, outer, .. } = context;
    let Some(last) = last else { return };
    report.base = report.before.clone();
    let mode = series.controls.verification;
    report.verification = match mode {
        VerificationMode::None => Verification::not_requested(mode),
        VerificationMode::Light => Verification { mode, status: Status::Observed, after: Some(last), failure: None },
        VerificationMode::Full => {
            let before = report.before.clone();
            let verified = verify(session, request, &series.controls, before.as_ref(), None, outer);
            request.timings.time("verification_ms", verified).await
        }
    };
    let result = match report.verification.status {
        Status::NotRequested => return,
        Status::Unavailable => "unavailable",
        _ => "success",
    };
    trace(report, "verify", session.screens.clock().wall_ms(), result);
}
