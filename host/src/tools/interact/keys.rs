//! Keys, and what they stand for.

use handset_model::Failure;
use handset_model::android::{key_code, key_names};
use serde_json::json;

use super::super::args::{BareInputArgs, PressKeyArgs};
use super::super::schema::nearest;
use super::super::{Answer, Call};
use super::{Wish, act};
use crate::action::Aim;
use crate::device::Input;

pub(in crate::tools) async fn press_back(call: Call) -> Result<Answer, Failure> {
    let args: BareInputArgs = call.parse()?;
    let wish = Wish { action_type: "press_back", aim: Aim::Nothing, input: Input::Back, arguments: json!({}) };
    act(call, &args.target, args.acting, wish).await
}

pub(in crate::tools) async fn press_key(call: Call) -> Result<Answer, Failure> {
    let args: PressKeyArgs = call.parse()?;
    let code = key_code(&args.key).ok_or_else(|| unknown(&args.key))?;
    let wish = Wish {
        action_type: "press_key",
        aim: Aim::Nothing,
        input: Input::Key(code),
        arguments: json!({ "key": args.key, "code": code }),
    };
    act(call, &args.target, args.acting, wish).await
}

pub(in crate::tools) async fn hide_keyboard(call: Call) -> Result<Answer, Failure> {
    let args: BareInputArgs = call.parse()?;
    let wish =
        Wish { action_type: "hide_keyboard", aim: Aim::Nothing, input: Input::HideKeyboard, arguments: json!({}) };
    act(call, &args.target, args.acting, wish).await
}

fn unknown(key: &str) -> Failure {
    let names: Vec<String> = key_names().collect();
    let plain = key.trim().trim_start_matches("KEYCODE_");
    let near = nearest(plain, names.iter().map(String::as_str));
    let message = match near.first() {
        Some(first) => format!("{key:?} is no key; did you mean {first}?"),
        None => format!("{key:?} is no key: a name such as enter, recents or volume_up, KEYCODE_*, or a number 1–337"),
    };
    Failure::argument("key", message).with_candidates(near.into_iter().map(Into::into).collect())
}
