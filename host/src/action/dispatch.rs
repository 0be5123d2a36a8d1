//! The one dispatch boundary: prepared → guards → mark started → spawn.

use std::sync::Arc;
use std::time::Duration;

use handset_model::snapshot::{Baseline, Observation};
use handset_model::{Code, Failure};
use tokio::time::Instant;

use super::envelope::Delivery;
use super::guard::{CheckReport, ConditionReport, ExpectedState, Guard, Status};
use crate::budget::{Budget, Stopped};
use crate::device::{Accepted, LaneTurn, Leftover, Prepared, Reached, Session};
use crate::plugin::{PendingInput, TimelineData};
use crate::process::{Dispatched, ProcessError, Processes};
use crate::request::{Purpose, Request, ms};

/// Between two acquisitions of a guard after one failed.
const AGAIN: Duration = Duration::from_millis(100);

/// An input about to be sent.
pub(super) struct Shot<'a> {
    pub session: &'a Session,
    pub request: &'a Request,
    pub processes: &'a Processes,
    pub prepared: Prepared,
    pub guard: Option<Guard>,
    /// The tree that resolved the target, and the target there.
    pub resolved: Option<(Arc<Observation>, u32)>,
    pub pending: PendingInput,
    pub history: TimelineData,
    /// The action's own budget so far; the guard's time is not taken from it.
    pub action: Budget,
    /// Bounds everything, the guard included.
    pub outer: Budget,
}

/// What became of it.
#[derive(Debug)]
pub(super) struct Shown {
    pub started: bool,
    pub delivery: Delivery,
    pub result: Result<Accepted, Failure>,
    pub condition: Option<ConditionReport>,
    pub checks: Vec<CheckReport>,
}

impl Shown {
    fn blocked(failure: Failure, condition: Option<ConditionReport>, checks: Vec<CheckReport>) -> Self {
        Self { started: false, delivery: Delivery::NotDelivered, result: Err(failure), condition, checks }
    }
}

/// Sends the input, once, if its guard lets it; the lane is held from the guard's read to the child's end.
pub(super) async fn dispatch(shot: Shot<'_>, turn: LaneTurn) -> Shown {
    let Shot { session, request, processes, prepared, guard, resolved, pending, history, action, outer } = shot;
    let Some(guard) = guard else {
        let crossing = Crossing { session, request, processes, prepared, action, turn };
        let (started, delivery, result) = send(crossing, None).await;
        return Shown { started, delivery, result, condition: None, checks: Vec::new() };
    };
    if prepared.commands.len() > 1 {
        let member = if guard.expected.is_some() { "expectedState" } else { "precondition" };
        let failure = Failure::argument(member, "this input needs several commands, and a guard covers only one")
            .with_remedy("Send it in smaller parts, each with its own guard.");
        return Shown::blocked(failure, Some(ConditionReport::not_checked(guard.expected)), Vec::new());
    }
    let paused_at = Instant::now();
    let left_for_action = action.remaining();
    let mut acquisition = acquire(session, request, guard.expected.as_ref(), &outer.child(guard.timeout)).await;
    acquisition.report.elapsed_ms = ms(paused_at.elapsed());
    if let Some(leftover) = acquisition.leftover.take() {
        turn.leave_behind(Arc::clone(&session.adapter), session.pinned.clone(), leftover);
        return unavailable(acquisition.report, request);
    }
    let Some(now) = acquisition.observation else { return unavailable(acquisition.report, request) };

    let pending = aimed(pending, resolved.as_ref(), &now);
    let baseline = acquisition.baseline;
    // The action's clock stood still while the condition was checked; the caller's outer deadline did not.
    let action = outer.child(left_for_action);
    let boundary = Boundary {
        guard,
        now,
        baseline,
        pending,
        history,
        processes: processes.clone(),
        action: action.clone(),
        clock: *session.screens.clock(),
    };
    let commands = prepared.commands.first().cloned();
    // Off the reactor: a component may spin for its whole bound, and nothing may come between verdict and spawn.
    let crossed = tokio::task::spawn_blocking(move || boundary.cross(commands)).await;
    let elapsed = ms(paused_at.elapsed());
    request.timings.add("condition_ms", elapsed);
    match crossed {
        Ok(Crossed { mut condition, checks, outcome }) => {
            condition.elapsed_ms = elapsed;
            match outcome {
                Ok(dispatched) => {
                    let crossing = Crossing { session, request, processes, prepared, action, turn };
                    let (started, delivery, result) = send(crossing, Some(dispatched)).await;
                    Shown { started, delivery, result, condition: Some(condition), checks }
                }
                Err(failure) => Shown::blocked(failure, Some(condition), checks),
            }
        }
        Err(panicked) => Shown::blocked(
            Failure::new(Code::Unknown, format!("the guard could not be asked: {panicked}")),
            Some(acquisition.report),
            Vec::new(),
        ),
    }
}

fn unavailable(report: ConditionReport, request: &Request) -> Shown {
    request.timings.add("condition_ms", report.elapsed_ms);
    let failure = report
        .failure()
        .unwrap_or_else(|| Failure::new(Code::PreconditionUnavailable, "the condition was not checked"));
    Shown::blocked(failure, Some(report), Vec::new())
}

struct Acquisition {
    report: ConditionReport,
    baseline: Option<Baseline>,
    observation: Option<Arc<Observation>>,
    leftover: Option<Leftover>,
}

/// Baseline first, then one new observation: failed acquisitions may be read again inside the condition's timeout.
async fn acquire(
    session: &Session,
    request: &Request,
    expected: Option<&ExpectedState>,
    budget: &Budget,
) -> Acquisition {
    let mut acquired = Acquisition {
        report: ConditionReport {
            status: Status::Unavailable,
            reason: None,
            ..ConditionReport::not_checked(expected.cloned())
        },
        baseline: None,
        observation: None,
        leftover: None,
    };
    if let Some(expected) = expected {
        if *expected.snapshot_session_id != **session.screens.session_id() {
            acquired.report.reason = Some("SESSION_MISMATCH");
            return acquired;
        }
        // Held from here on, so that the read below cannot evict it.
        acquired.baseline = session.retained(expected.snapshot_revision);
        if acquired.baseline.is_none() {
            let elsewhere =
                session.screens.owner(expected.snapshot_revision).is_some_and(|owner| owner != session.pinned.key);
            acquired.report.reason = Some(if elsewhere { "DEVICE_MISMATCH" } else { "BASELINE_UNAVAILABLE" });
            return acquired;
        }
    }
    loop {
        let (read, leftover) = session.read(request, Purpose::Condition, budget).await;
        match read {
            Ok(observation) => {
                if observation.device != session.pinned.key || observation.connection != session.pinned.connection {
                    acquired.report.reason = Some("DEVICE_MISMATCH");
                } else {
                    acquired.observation = Some(observation);
                }
                return acquired;
            }
            Err(failure) => {
                tracing::debug!(request = %request.id, code = %failure.code, "a guard's read failed");
                let stopped = budget.check().err();
                // What reads met says more than that time ran out while they were made again.
                acquired.report.reason = match (failure.code, acquired.report.reason) {
                    (Code::Timeout, met @ Some(_)) => met,
                    (Code::Timeout, None) => Some("CONDITION_TIMEOUT"),
                    (Code::TreeInvalid | Code::TreeTruncated, _) => Some("OBSERVATION_INVALID"),
                    _ => Some("OBSERVATION_FAILED"),
                };
                if leftover.is_some()
                    || stopped.is_some()
                    || !failure.is_retryable()
                    || failure.code == Code::DeviceOffline
                {
                    acquired.leftover = leftover;
                    return acquired;
                }
                if budget.pause(AGAIN).await.is_err() {
                    return acquired;
                }
            }
        }
    }
}

/// The target by identity in the guard's own observation.
fn aimed(
    mut pending: PendingInput,
    resolved: Option<&(Arc<Observation>, u32)>,
    now: &Arc<Observation>,
) -> PendingInput {
    if let Some((before, index)) = resolved {
        pending.target_before = Some(*index);
        pending.target = handset_model::snapshot::counterpart(*index, &before.tree, &now.tree);
    }
    pending
}

/// Everything between the verdict and the spawn, owned by one blocking call.
struct Boundary {
    guard: Guard,
    now: Arc<Observation>,
    baseline: Option<Baseline>,
    pending: PendingInput,
    history: TimelineData,
    processes: Processes,
    action: Budget,
    clock: crate::clock::Clock,
}

struct Crossed {
    condition: ConditionReport,
    checks: Vec<CheckReport>,
    outcome: Result<Dispatched, Failure>,
}

impl Boundary {
    fn cross(self, command: Option<crate::process::Command>) -> Crossed {
        let expected = self.guard.expected.clone();
        let mut history = self.history;
        history.observations.push(Arc::clone(&self.now));
        let (status, reason, checks) = self.guard.decide(&self.now, self.baseline.as_ref(), &self.pending, &history);
        let condition = ConditionReport {
            status,
            expected,
            read_age_ms: Some(self.clock.now_ms() - self.now.captured_ms),
            observed: Some(Arc::clone(&self.now)),
            elapsed_ms: 0.0,
            reason,
        };
        if let Some(failure) = condition.failure() {
            return Crossed { condition, checks, outcome: Err(failure) };
        }
        let outcome = spawn(&self.processes, command, &self.action);
        Crossed { condition, checks, outcome }
    }
}

/// The moment of dispatch. Nothing asynchronous lies between the budget's check and the spawn.
fn spawn(
    processes: &Processes,
    command: Option<crate::process::Command>,
    action: &Budget,
) -> Result<Dispatched, Failure> {
    action.check().map_err(before_dispatch)?;
    let command = command.ok_or_else(|| Failure::new(Code::Unknown, "the adapter prepared no command"))?;
    #[expect(clippy::disallowed_methods, reason = "the one dispatch boundary")]
    let dispatched = processes.spawn_input(command, action);
    dispatched.map_err(|error| match error {
        ProcessError::NotFound(path) => Failure::new(Code::ToolNotFound, format!("{} was not found", path.display())),
        other => Failure::new(Code::ActionRejected, other.to_string()),
    })
}

/// A stop before anything was sent.
pub(super) fn before_dispatch(stopped: Stopped) -> Failure {
    stopped
        .failure(Code::ActionTimeout, "preparing the input; nothing was sent")
        .with_retryable(stopped == Stopped::Expired)
}

/// An input on its way over the boundary: everything but its guard.
struct Crossing<'a> {
    session: &'a Session,
    request: &'a Request,
    processes: &'a Processes,
    prepared: Prepared,
    action: Budget,
    turn: LaneTurn,
}

/// Sends the children in order, the first of which a guard may have spawned already, and sees each to its end.
async fn send(crossing: Crossing<'_>, first: Option<Dispatched>) -> (bool, Delivery, Result<Accepted, Failure>) {
    let Crossing { session, request, processes, prepared, action, turn } = crossing;
    let mut first = first;
    let mut started = false;
    let mut delivery = Delivery::NotDelivered;
    let mut result = Ok(Accepted::default());
    let mut left = None;
    let dispatching = Instant::now();
    let children = u32::try_from(prepared.commands.len()).unwrap_or(u32::MAX);
    for (number, command) in prepared.commands.iter().cloned().enumerate() {
        if let Some(sent) = u32::try_from(number).ok().filter(|sent| *sent > 0) {
            request.progress(f64::from(sent), Some(f64::from(children)), "sending the next part");
        }
        let bound = prepared.bounds.get(number).map_or_else(|| action.clone(), |bound| action.child(*bound));
        let dispatched = match first.take().map_or_else(|| spawn(processes, Some(command), &bound), Ok) {
            Ok(dispatched) => dispatched,
            Err(failure) => {
                result = Err(failure);
                break;
            }
        };
        if !std::mem::replace(&mut started, true) {
            request.dispatching();
            session.screens.acted(&session.pinned.key, dispatched.at);
        }
        let began = dispatched.at;
        let output = dispatched.finish().await;
        match session.adapter.judge(&session.pinned, &prepared, began, output.as_ref()) {
            Ok(accepted) => {
                if !accepted.unsent {
                    delivery = Delivery::Delivered;
                }
                result = Ok(accepted);
            }
            Err(refused) => {
                let refused = *refused;
                if refused.reached == Reached::Perhaps {
                    delivery = Delivery::Unknown;
                }
                left = refused.leftover;
                result = Err(refused.failure);
                break;
            }
        }
    }
    request.timings.add("dispatch_ms", ms(dispatching.elapsed()));
    // What an earlier child delivered cannot be taken back: the whole is neither sent nor unsent.
    if result.is_err() && delivery == Delivery::Delivered {
        delivery = Delivery::Unknown;
    }
    if let Some(leftover) = left {
        turn.leave_behind(Arc::clone(&session.adapter), session.pinned.clone(), leftover);
    }
    (started, delivery, result)
}
