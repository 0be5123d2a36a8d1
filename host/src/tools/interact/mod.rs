//! Taps, gestures, text and keys: each tool says what it wishes for, and one function acts.

mod dialog;
mod keys;
mod text;
mod touch;

pub(super) use dialog::{accept_dialog, dismiss_dialog};
pub(super) use keys::{hide_keyboard, press_back, press_key};
pub(super) use text::type_text;
pub(super) use touch::{double_tap, drag, long_press, pinch, swipe, tap, tap_element};

use handset_model::{Code, Failure};
use serde_json::Value;

use super::args::{ActingMembers, TargetArgs};
use super::{Answer, Call, OUTER};
use crate::action::{Action, Aim, Defaults, GuardArgs, run};
use crate::device::Input;

/// Ids that name no device of their own.
const ALIASES: [&str; 2] = ["booted", "default"];

/// A guarded call says which device it means: the baseline belongs to one (contract §7).
fn targeted(call: &Call, target: &TargetArgs, guard: &GuardArgs) -> Result<(), Failure> {
    if !guard.is_some() || call.pinned.is_some() {
        return Ok(());
    }
    let which = if guard.expected.is_some() { "expectedState" } else { "precondition" };
    if target.platform.is_none() {
        return Err(Failure::argument("platform", format!("platform is required with {which}")));
    }
    match &target.device_id {
        None => Err(Failure::argument("deviceId", format!("deviceId is required with {which}"))),
        Some(alias) if ALIASES.contains(&alias.as_str()) => {
            Err(Failure::argument("deviceId", format!("{alias} is an alias; {which} needs the device's own id")))
        }
        Some(_) => Ok(()),
    }
}

struct Wish {
    action_type: &'static str,
    aim: Aim,
    input: Input,
    arguments: Value,
}

async fn act(call: Call, target: &TargetArgs, acting: ActingMembers, wish: Wish) -> Result<Answer, Failure> {
    let guard = acting.guard.guard();
    targeted(&call, target, &guard)?;
    let outer = call.budget(OUTER);
    if guard.precondition.is_some() {
        call.house.plugins.ready(&outer).await?;
    }
    guard.validate(&call.house.plugins).await?;
    let session = call.session(target).await?;
    let context = call.action_context(&session, &outer);
    let action = Action {
        action_type: wish.action_type,
        aim: wish.aim,
        input: wish.input,
        controls: acting.controls.resolve(Defaults::INPUT),
        guard,
        arguments: wish.arguments,
        shared: call.shared,
        app: None,
    };
    let report = run(context, action).await;
    // A point off the display, a handle that is none: an argument refused, though it took the device to tell.
    match &report.failure {
        Some(failure) if failure.code == Code::InvalidArgument && !report.dispatch_started => Err(failure.clone()),
        _ => Ok(Answer::Action(Box::new(report))),
    }
}
