//! Dialogs that Android itself draws, answered by the ids of their buttons.

use handset_model::Failure;
use handset_model::ui::DialogAnswer;
use serde_json::json;

use super::super::args::DialogArgs;
use super::super::{Answer, Call};
use super::{Wish, act};
use crate::action::Aim;
use crate::device::Input;

pub(in crate::tools) async fn accept_dialog(call: Call) -> Result<Answer, Failure> {
    answered(call, "accept_dialog", DialogAnswer::Accept).await
}

pub(in crate::tools) async fn dismiss_dialog(call: Call) -> Result<Answer, Failure> {
    answered(call, "dismiss_dialog", DialogAnswer::Dismiss).await
}

async fn answered(call: Call, action_type: &'static str, answer: DialogAnswer) -> Result<Answer, Failure> {
    let args: DialogArgs = call.parse()?;
    let arguments = json!({ "button": args.button });
    let aim = Aim::Dialog { answer, button: args.button };
    let wish = Wish { action_type, aim, input: Input::Tap { x: 0, y: 0 }, arguments };
    act(call, &args.target, args.acting, wish).await
}
