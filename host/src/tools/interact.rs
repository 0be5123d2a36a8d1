//! Taps, swipes, text and keys.

use std::time::Duration;

use handset_model::{Code, Failure};
use serde_json::{Value, json};

use super::args::{
    PressBackArgs, SwipeArgs, TapArgs, TapElementArgs, TargetArgs, TypeTextArgs, WaitForArgs, WaitForCondition,
};
use super::{Answer, Call, OUTER};
use crate::action::{Action, ActionContext, Aim, ControlArgs, Defaults, GuardArgs, WaitFor, run};
use crate::device::Input;
use crate::wait::Condition;

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

async fn act(
    call: Call,
    target: &TargetArgs,
    controls: ControlArgs,
    guard: GuardArgs,
    wish: Wish,
) -> Result<Answer, Failure> {
    targeted(&call, target, &guard)?;
    let outer = call.budget(OUTER);
    if guard.precondition.is_some() {
        call.house.plugins.ready(&outer).await?;
    }
    guard.validate(&call.house.plugins).await?;
    let session = call.session(target).await?;
    let context = ActionContext {
        session: &session,
        request: &call.request,
        plugins: &call.house.plugins,
        processes: &call.house.processes,
        outer: &outer,
    };
    let action = Action {
        action_type: wish.action_type,
        aim: wish.aim,
        input: wish.input,
        controls: controls.resolve(Defaults::INPUT),
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

pub(super) async fn tap(call: Call) -> Result<Answer, Failure> {
    let args: TapArgs = call.parse()?;
    let wish = Wish {
        action_type: "tap",
        aim: Aim::Points(vec![("x", args.x, args.y)]),
        input: Input::Tap { x: args.x, y: args.y },
        arguments: json!({ "x": args.x, "y": args.y }),
    };
    act(call, &args.target, args.controls, args.guard.guard(), wish).await
}

pub(super) async fn tap_element(call: Call) -> Result<Answer, Failure> {
    let args: TapElementArgs = call.parse()?;
    let (aim, arguments) = match (&args.element_id, &args.selector) {
        (Some(id), None) => {
            if args.wait_for.is_some() {
                return Err(Failure::argument("waitFor", "waitFor goes with a selector, not with an elementId"));
            }
            (Aim::ElementId(id.clone()), json!({ "elementId": id }))
        }
        (None, Some(selector)) => {
            selector.validate("selector")?;
            let wait = args.wait_for.as_ref().map(wait_for);
            (Aim::Selector { selector: selector.clone(), wait }, json!({ "selector": selector }))
        }
        (Some(_), Some(_)) => return Err(Failure::argument("selector", "pass either elementId or selector, not both")),
        (None, None) => return Err(Failure::argument("selector", "pass a selector or an elementId")),
    };
    let wish = Wish { action_type: "tap_element", aim, input: Input::Tap { x: 0, y: 0 }, arguments };
    act(call, &args.target, args.controls, args.guard.guard(), wish).await
}

/// Contract §6's defaults: 1 500 ms, a read every 100 ms.
fn wait_for(args: &WaitForArgs) -> WaitFor {
    WaitFor {
        condition: match args.condition.unwrap_or_default() {
            WaitForCondition::Exists => Condition::Exists,
            WaitForCondition::Visible => Condition::Visible,
            WaitForCondition::Clickable => Condition::Clickable,
        },
        timeout: Duration::from_millis(args.timeout_ms.unwrap_or(1_500)),
        interval: Duration::from_millis(args.poll_interval_ms.unwrap_or(100)),
        index: args.matching.and_then(|matching| matching.index),
    }
}

pub(super) async fn swipe(call: Call) -> Result<Answer, Failure> {
    let args: SwipeArgs = call.parse()?;
    let duration_ms = args.duration.unwrap_or(300);
    let wish = Wish {
        action_type: "swipe",
        aim: Aim::Points(vec![("x1", args.x1, args.y1), ("x2", args.x2, args.y2)]),
        input: Input::Swipe { x1: args.x1, y1: args.y1, x2: args.x2, y2: args.y2, duration_ms },
        arguments: json!({ "x1": args.x1, "y1": args.y1, "x2": args.x2, "y2": args.y2, "duration": duration_ms }),
    };
    act(call, &args.target, args.controls, args.guard.guard(), wish).await
}

pub(super) async fn type_text(call: Call) -> Result<Answer, Failure> {
    let args: TypeTextArgs = call.parse()?;
    let wish = Wish {
        action_type: "type_text",
        aim: Aim::Nothing,
        // Predicates are told how long the text is, never what it says.
        arguments: json!({ "text_length": args.text.chars().count() }),
        input: Input::Text(args.text),
    };
    act(call, &args.target, args.controls, args.guard.guard(), wish).await
}

pub(super) async fn press_back(call: Call) -> Result<Answer, Failure> {
    let args: PressBackArgs = call.parse()?;
    let wish = Wish { action_type: "press_back", aim: Aim::Nothing, input: Input::Back, arguments: json!({}) };
    act(call, &args.target, args.controls, args.guard.guard(), wish).await
}
