//! The one way of everything that manages an app or the device: through the dispatch boundary, without verification, and
//! answered in one shape.

use std::time::Duration;

use handset_model::{Code, Failure};
use serde_json::{Map, Value, json};

use crate::action::{Action, ActionReport, Aim, Controls, GuardArgs, SharedRead, run};
use crate::budget::Budget;
use crate::device::{Input, Manage, Session};
use crate::tools::args::TargetArgs;
use crate::tools::{Answer, Call};

/// Contract §4: a tool that states no timeout.
pub(super) const WHOLE: Duration = Duration::from_secs(25);

/// One piece of management as a tool asks for it.
pub(super) struct Order {
    /// The tool.
    pub action_type: &'static str,
    /// The member of the answer that says whether it was done.
    pub done: &'static str,
    pub what: Manage,
    pub user: Option<u32>,
}

/// Finds the device, does it, and answers.
pub(super) async fn manage(call: &Call, target: &TargetArgs, order: Order) -> Result<Answer, Failure> {
    let session = call.session(target).await?;
    let budget = call.budget(WHOLE);
    let Order { action_type, done, what, user } = order;
    let report = carry_out(call, &session, action_type, what, user, &budget).await;
    answer(&report, done)
}

/// Does it, on a device that is known, within a budget.
pub(in crate::tools) async fn carry_out(
    call: &Call,
    session: &Session,
    action_type: &'static str,
    what: Manage,
    user: Option<u32>,
    budget: &Budget,
) -> ActionReport {
    let context = call.action_context(session, budget);
    let action = Action {
        action_type,
        aim: Aim::Nothing,
        input: Input::Manage { what, user },
        controls: Controls::unverified(budget.remaining()),
        guard: GuardArgs::default(),
        arguments: Value::Null,
        shared: SharedRead::None,
        app: None,
    };
    run(context, action).await
}

/// `{device, DONE, output?, error?, diagnostics?}` with what contract §5 says of every action.
///
/// # Errors
/// An argument that the device had to be asked about to refuse it.
pub(in crate::tools) fn answer(report: &ActionReport, done: &'static str) -> Result<Answer, Failure> {
    match &report.failure {
        Some(failure) if failure.code == Code::InvalidArgument && !report.dispatch_started => Err(failure.clone()),
        failure => Ok(Answer::Body {
            body: Value::Object(shaped(report, done)),
            success: Some(failure.is_none()),
            failure_code: failure.as_ref().map(|failure| failure.code),
            text: None,
        }),
    }
}

fn shaped(report: &ActionReport, done: &'static str) -> Map<String, Value> {
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| {
        body.insert(name.to_owned(), value);
    };
    put("action_id", json!(report.action_id));
    put("device", report.device.clone());
    put(done, json!(report.success()));
    put("success", json!(report.success()));
    if let Some(failure) = &report.failure {
        put("failure_code", json!(failure.code));
        put("retryable", json!(report.retryable(failure)));
        put("error", failure.to_json());
    }
    put("delivery_status", json!(report.delivery.as_str()));
    put("dispatch_started", json!(report.dispatch_started));
    let mut diagnostics = report.details.clone();
    for hoisted in ["output", "before"] {
        if let Some(value) = diagnostics.remove(hoisted) {
            put(hoisted, value);
        }
    }
    if !diagnostics.is_empty() {
        put("diagnostics", Value::Object(diagnostics));
    }
    put("timing", report.timings.full());
    body
}
