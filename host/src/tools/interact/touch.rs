//! What a finger does: at points, or at an element that is found first.

use std::time::Duration;

use handset_model::Failure;
use handset_model::ui::Selector;
use serde_json::{Value, json};

use super::super::args::{
    ActingMembers, AtArgs, DoubleTapArgs, DragArgs, LongPressArgs, PinchArgs, SpaceMembers, StrokeArgs, SwipeArgs,
    TapArgs, TapElementArgs, WaitForArgs, WaitForCondition,
};
use super::super::{Answer, Call};
use super::{Wish, act};
use crate::action::{Aim, Point, Points, WaitFor};
use crate::device::Input;
use crate::wait::Condition;

/// Android takes 400–500 ms for a long press, and some apps want more.
const LONG_PRESS_MS: u32 = 800;

const SWIPE_MS: u32 = 300;

const DRAG_MS: u32 = 1_000;

pub(in crate::tools) async fn tap(call: Call) -> Result<Answer, Failure> {
    let args: TapArgs = call.parse()?;
    let points = points(&args.space, &[("x", args.x, args.y)])?;
    let wish = Wish {
        action_type: "tap",
        arguments: json!({ "x": args.x, "y": args.y }),
        aim: Aim::Points(points),
        input: Input::Tap { x: 0, y: 0 },
    };
    act(call, &args.target, args.acting, wish).await
}

pub(in crate::tools) async fn tap_element(call: Call) -> Result<Answer, Failure> {
    let args: TapElementArgs = call.parse()?;
    let (aim, arguments) = element(args.element_id.as_ref(), args.selector.as_ref(), args.wait_for.as_ref())?
        .ok_or_else(|| Failure::argument("selector", "pass a selector or an elementId"))?;
    let wish = Wish { action_type: "tap_element", aim, input: Input::Tap { x: 0, y: 0 }, arguments };
    act(call, &args.target, args.acting, wish).await
}

pub(in crate::tools) async fn long_press(call: Call) -> Result<Answer, Failure> {
    let args: LongPressArgs = call.parse()?;
    let duration_ms = args.duration.unwrap_or(LONG_PRESS_MS);
    let (aim, mut arguments) = at(&args.at)?;
    arguments["duration"] = json!(duration_ms);
    let wish = Wish { action_type: "long_press", aim, input: Input::LongPress { x: 0, y: 0, duration_ms }, arguments };
    act(call, &args.target, args.acting, wish).await
}

pub(in crate::tools) async fn double_tap(call: Call) -> Result<Answer, Failure> {
    let args: DoubleTapArgs = call.parse()?;
    let (aim, arguments) = at(&args.at)?;
    let wish = Wish { action_type: "double_tap", aim, input: Input::DoubleTap { x: 0, y: 0 }, arguments };
    act(call, &args.target, args.acting, wish).await
}

pub(in crate::tools) async fn swipe(call: Call) -> Result<Answer, Failure> {
    let args: SwipeArgs = call.parse()?;
    let duration_ms = args.duration.unwrap_or(SWIPE_MS);
    let (aim, arguments) = stroke(&args.stroke, &args.space, duration_ms)?;
    let input = Input::Swipe { x1: 0, y1: 0, x2: 0, y2: 0, duration_ms };
    let wish = Wish { action_type: "swipe", aim, input, arguments };
    act(call, &args.target, args.acting, wish).await
}

pub(in crate::tools) async fn drag(call: Call) -> Result<Answer, Failure> {
    let args: DragArgs = call.parse()?;
    let duration_ms = args.duration.unwrap_or(DRAG_MS);
    let (aim, arguments) = stroke(&args.stroke, &args.space, duration_ms)?;
    let input = Input::Drag { x1: 0, y1: 0, x2: 0, y2: 0, duration_ms };
    let wish = Wish { action_type: "drag", aim, input, arguments };
    act(call, &args.target, args.acting, wish).await
}

pub(in crate::tools) async fn pinch(call: Call) -> Result<Answer, Failure> {
    let args: PinchArgs = call.parse()?;
    let wish = Wish {
        action_type: "pinch",
        aim: Aim::Points(points(&args.space, &[("x", args.x, args.y)])?),
        input: Input::Pinch,
        arguments: json!({ "x": args.x, "y": args.y, "scale": args.scale }),
    };
    act(call, &args.target, ActingMembers::default(), wish).await
}

fn points(space: &SpaceMembers, given: &[(&'static str, f64, f64)]) -> Result<Points, Failure> {
    let points = given.iter().map(|(member, x, y)| Point { member, x: *x, y: *y }).collect();
    Points::new(space.space.unwrap_or_default(), points)
}

fn stroke(stroke: &StrokeArgs, space: &SpaceMembers, duration_ms: u32) -> Result<(Aim, Value), Failure> {
    let StrokeArgs { x1, y1, x2, y2 } = *stroke;
    let points = points(space, &[("x1", x1, y1), ("x2", x2, y2)])?;
    Ok((Aim::Points(points), json!({ "x1": x1, "y1": y1, "x2": x2, "y2": y2, "duration": duration_ms })))
}

/// A point, or an element.
fn at(args: &AtArgs) -> Result<(Aim, Value), Failure> {
    let element = element(args.element_id.as_ref(), args.selector.as_ref(), None)?;
    match (args.x, args.y, element) {
        (None, None, Some(element)) => match args.space.space {
            None => Ok(element),
            Some(_) => Err(Failure::argument("space", "space goes with x and y, not with an element")),
        },
        (Some(x), Some(y), None) => Ok((Aim::Points(points(&args.space, &[("x", x, y)])?), json!({ "x": x, "y": y }))),
        (None, None, None) => Err(Failure::argument("selector", "pass x and y, a selector or an elementId")),
        (Some(_), None, None) => Err(Failure::argument("y", "y is required with x")),
        (None, Some(_), None) => Err(Failure::argument("x", "x is required with y")),
        (x, _, Some(_)) => {
            let member = if x.is_some() { "x" } else { "y" };
            Err(Failure::argument(member, "pass either a point or an element, not both"))
        }
    }
}

/// The element that is meant, where one is.
pub(super) fn element(
    element_id: Option<&String>,
    selector: Option<&Selector>,
    wait: Option<&WaitForArgs>,
) -> Result<Option<(Aim, Value)>, Failure> {
    if wait.is_some() && selector.is_none() {
        return Err(Failure::argument("waitFor", "waitFor goes with a selector, and with nothing else"));
    }
    match (element_id, selector) {
        (Some(id), None) => Ok(Some((Aim::ElementId(id.clone()), json!({ "elementId": id })))),
        (None, Some(selector)) => {
            selector.validate("selector")?;
            let aim = Aim::Selector { selector: selector.clone(), wait: wait.map(wait_for) };
            Ok(Some((aim, json!({ "selector": selector }))))
        }
        (Some(_), Some(_)) => Err(Failure::argument("selector", "pass either elementId or selector, not both")),
        (None, None) => Ok(None),
    }
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
