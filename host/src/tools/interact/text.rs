//! Text into a field.

use handset_model::Failure;
use serde_json::json;

use super::super::args::TypeTextArgs;
use super::super::{Answer, Call};
use super::touch::element;
use super::{Wish, act};
use crate::action::Aim;
use crate::device::{Input, Typing};

pub(in crate::tools) async fn type_text(call: Call) -> Result<Answer, Failure> {
    let args: TypeTextArgs = call.parse()?;
    let (aim, mut arguments) =
        element(args.element_id.as_ref(), args.selector.as_ref(), None)?.unwrap_or_else(|| (Aim::Nothing, json!({})));
    // Predicates are told how long the text is, never what it says.
    arguments["text_length"] = json!(args.text.chars().count());
    let (replace, submit) = (args.replace.unwrap_or_default(), args.submit.unwrap_or_default());
    for (member, set) in [("replace", replace), ("submit", submit)] {
        if set {
            arguments[member] = json!(true);
        }
    }
    let input = Input::Text(Typing { text: args.text, replace, submit, ..Typing::default() });
    let wish = Wish { action_type: "type_text", aim, arguments, input };
    act(call, &args.target, args.acting, wish).await
}
