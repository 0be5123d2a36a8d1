//! Reading a field back after text was typed into it: what stands there, against what should.

use handset_model::snapshot::Observation;
use handset_model::ui::{Element, Tree};
use handset_model::{Code, Failure};
use serde_json::{Map, Value, json};

use crate::device::Typing;

/// The field that has the focus.
fn focused(tree: &Tree) -> Option<&Element> {
    let mut fields = (0..).map_while(|index| tree.get(index)).filter(|element| element.traits.editable);
    fields.find(|element| element.traits.focused)
}

/// What a field shows, where it is no password.
fn shown(field: &Element) -> Option<&str> {
    (!field.traits.password).then(|| field.text.as_deref().unwrap_or_default())
}

/// What `uiautomator` makes of a text: whatever takes two units of UTF-16 is written as two dots.
fn dumped(text: &str) -> String {
    text.chars().map(|one| if one.len_utf16() > 1 { "..".to_owned() } else { one.to_string() }).collect()
}

/// `whole` is `before` with `typed` somewhere in it.
fn inserted(whole: &str, before: &str, typed: &str) -> bool {
    let Some(rest) = whole.len().checked_sub(typed.len()).filter(|rest| *rest == before.len()) else { return false };
    (0..=rest).filter(|at| before.is_char_boundary(*at)).any(|at| {
        let (head, tail) = before.split_at(at);
        whole.strip_prefix(head).and_then(|whole| whole.strip_prefix(typed)).is_some_and(|whole| whole == tail)
    })
}

/// Whether what stands there can be what was typed, given what stood there before where that is known.
fn stands(after: &str, before: Option<&str>, typing: &Typing) -> bool {
    [typing.text.clone(), dumped(&typing.text)].iter().any(|typed| {
        let alone = after == typed || (after.trim().is_empty() && typed.trim().is_empty());
        // What an empty field shows may be its hint, which goes with the first character.
        alone
            || (!typing.replace && before.is_some_and(|before| inserted(after, before, typed)))
            || (!typing.replace && before.is_none() && after.contains(typed.as_str()))
    })
}

/// Compares, as far as a field can be compared; says in `details` what came of it. The text itself is said nowhere.
///
/// # Errors
/// `VERIFICATION_FAILED` with lengths and the place of the first difference.
pub(super) fn read_back(
    typing: &Typing,
    before: Option<&Observation>,
    after: Option<&Observation>,
    details: &mut Map<String, Value>,
) -> Result<(), Failure> {
    let mut say = |what: &str| {
        details.insert("read_back".into(), json!(what));
    };
    if typing.submit || typing.text.contains(['\n', '\r', '\t']) {
        say("not compared: Enter and Tab act, and the field may hold something else by now");
        return Ok(());
    }
    let Some(after) = after else {
        say("not compared: the screen could not be read afterwards");
        return Ok(());
    };
    let Some(field) = focused(&after.tree) else {
        say("not compared: no field on the screen has the focus");
        return Ok(());
    };
    let Some(now) = shown(field) else {
        say("not compared: a password is not read back");
        return Ok(());
    };
    // Of another field nothing is known.
    let before = before
        .and_then(|before| focused(&before.tree))
        .filter(|before| before.resource_id == field.resource_id && before.class == field.class)
        .and_then(shown);
    if stands(now, before, typing) {
        say("equal");
        return Ok(());
    }
    say("different");
    let length = now.chars().count();
    let typed = typing.text.chars().count();
    let message = match before.filter(|_| !typing.replace) {
        Some(before) => format!(
            "the field holds {length} characters after {typed} were typed into {}, and not those",
            before.chars().count()
        ),
        None => {
            let equal = now.chars().zip(typing.text.chars()).take_while(|(is, should)| is == should).count();
            format!(
                "the field holds {length} characters where {typed} were typed; character {} is the first that differs",
                equal + 1
            )
        }
    };
    Err(Failure::new(Code::VerificationFailed, message)
        .with_remedy("Look at the field: an app may format, complete or cut what is typed; replace empties it first."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typing(text: &str, replace: bool) -> Typing {
        Typing { replace, ..Typing::from(text.to_owned()) }
    }

    #[test]
    fn text_may_stand_at_the_end_at_the_cursor_or_where_a_hint_was() {
        let typed = typing("cd", false);
        for (after, before) in
            [("abcd", "ab"), ("cdab", "ab"), ("acdb", "ab"), ("cd", ""), ("cd", "Your name"), ("écdé", "éé")]
        {
            assert!(stands(after, Some(before), &typed), "{after} from {before}");
        }
        for (after, before) in [("abc", "ab"), ("abdc", "ab"), ("ab", "ab"), ("abcdcd", "ab"), ("", "ab")] {
            assert!(!stands(after, Some(before), &typed), "{after} from {before}");
        }
        assert!(stands("xcdx", None, &typed) && !stands("xcxd", None, &typed));
    }

    #[test]
    fn what_was_replaced_stands_alone() {
        assert!(stands("cd", Some("ab"), &typing("cd", true)));
        assert!(!stands("abcd", Some("ab"), &typing("cd", true)));
    }

    #[test]
    fn blanks_and_what_a_dump_cannot_write_are_no_difference() {
        assert!(stands("", Some(""), &typing("   ", false)));
        assert!(stands("a..b", Some(""), &typing("a😀b", false)));
    }
}
