//! Which elements a selector means.

use handset_model::Code;
use serde_json::json;

use crate::support::{around, leaf, screen, selector, tree_of};

/// Positions of the matches of a selector on a screen.
fn found(inside: &str, json: serde_json::Value) -> Vec<u32> {
    selector(json).find(&tree_of(screen(inside)))
}

#[test]
fn text_compares_trimmed_and_ignoring_case() {
    let label = leaf(&[("text", "  Sign In ")]);
    assert_eq!(found(&label, json!({"text": "sign in"})), [0]);
    assert_eq!(found(&label, json!({"text": " SIGN IN\n"})), [0]);
    assert!(found(&label, json!({"text": "sign"})).is_empty());
}

#[test]
fn contains_takes_a_part() {
    assert_eq!(found(&leaf(&[("text", "Sign in to Shop")]), json!({"text": "IN TO", "contains": true})), [0]);
}

#[test]
fn invisible_marks_do_not_count() {
    let label = leaf(&[("text", "\u{FEFF}\u{200E}Sig\u{200B}n \u{2068}in\u{2069}\u{200F}")]);
    assert_eq!(found(&label, json!({"text": "Sign in"})), [0]);
    assert_eq!(found(&leaf(&[("text", "Sign in")]), json!({"text": "\u{200F}Sign in\u{FEFF}"})), [0]);
}

#[test]
fn letters_beyond_ascii_ignore_case() {
    assert_eq!(found(&leaf(&[("text", "ÜBERSICHT Ж")]), json!({"text": "übersicht ж"})), [0]);
}

#[test]
fn ids_match_in_full_bare_and_with_a_package() {
    let android = leaf(&[("resource-id", "com.app:id/login"), ("package", "com.app")]);
    for id in ["com.app:id/login", "login"] {
        assert_eq!(found(&android, json!({"resource_id": id})), [0], "{id}");
    }
    let compose = leaf(&[("resource-id", "login"), ("package", "com.app")]);
    for id in ["login", "com.app:id/login"] {
        assert_eq!(found(&compose, json!({"resource_id": id})), [0], "{id}");
    }
    for id in ["com.other:id/login", "log", "id/login"] {
        assert!(found(&android, json!({"resource_id": id})).is_empty(), "{id}");
        assert!(found(&compose, json!({"resource_id": id})).is_empty(), "{id}");
    }
}

#[test]
fn text_does_not_match_a_description() {
    let label = leaf(&[("content-desc", "Back")]);
    assert!(found(&label, json!({"text": "Back"})).is_empty());
    assert_eq!(found(&label, json!({"accessibility_id": "back"})), [0]);
}

#[test]
fn everything_given_must_hold() {
    let two = leaf(&[("text", "OK"), ("class", "android.widget.Button")])
        + &leaf(&[("text", "OK"), ("class", "android.widget.TextView")]);
    assert_eq!(found(&two, json!({"text": "OK"})), [0, 1]);
    assert_eq!(found(&two, json!({"text": "OK", "role": "Button"})), [0]);
}

#[test]
fn states_are_required_as_given() {
    let two = leaf(&[("text", "a"), ("checkable", "true"), ("checked", "true")])
        + &leaf(&[("text", "b"), ("checkable", "true")]);
    assert_eq!(found(&two, json!({"state": {"checked": true}})), [0]);
    assert_eq!(found(&two, json!({"state": {"checked": false}})), [1]);
    assert!(found(&two, json!({"state": {"expanded": false}})).is_empty(), "not exposed is not collapsed");
}

#[test]
fn within_means_some_ancestor() {
    let row = |name: &str| around(&[("content-desc", name)], &around(&[], &leaf(&[("text", "Delete")])));
    let list = around(&[("resource-id", "com.app:id/list")], &(row("first") + &row("second")));
    let within = json!({"text": "Delete", "within": {"accessibility_id": "second"}});
    assert_eq!(found(&list, within), [4]);
    let nested = json!({"text": "Delete", "within": {"accessibility_id": "first", "within": {"resource_id": "list"}}});
    assert_eq!(found(&list, nested), [2]);
    let elsewhere =
        json!({"text": "Delete", "within": {"accessibility_id": "first", "within": {"resource_id": "other"}}});
    assert!(found(&list, elsewhere).is_empty());
}

#[test]
fn an_element_is_not_within_itself() {
    assert!(found(&leaf(&[("text", "a")]), json!({"text": "a", "within": {"text": "a"}})).is_empty());
}

#[test]
fn blank_members_count_as_not_given() {
    let label = leaf(&[("text", "OK"), ("content-desc", "yes")]);
    assert_eq!(found(&label, json!({"text": " ", "accessibility_id": "yes"})), [0]);
}

#[test]
fn a_selector_of_blanks_is_refused_by_its_path() {
    for (json, member) in [
        (json!({}), "selector"),
        (json!({"text": "  ", "contains": true}), "selector"),
        (json!({"state": {}}), "selector"),
        (json!({"within": {"text": "x"}}), "selector"),
        (json!({"text": "x", "within": {"resource_id": "\u{200B}"}}), "selector.within"),
    ] {
        let failure = selector(json.clone()).validate("selector").unwrap_err();
        assert_eq!((failure.code, failure.member.as_deref()), (Code::InvalidArgument, Some(member)), "{json}");
    }
    assert_eq!(selector(json!({"role": "button"})).validate("selector"), Ok(()));
}

#[test]
fn a_bare_id_that_holds_the_sign_of_a_package_is_found_by_itself() {
    let tree = tree_of(screen(&leaf(&[("resource-id", "com.app:id/menu com.app:id/layer"), ("clickable", "true")])));
    let element = tree.elements.iter().find(|element| element.resource_id.is_some()).unwrap();
    let bare = element.bare_id().unwrap();
    assert_eq!(bare, "menu com.app:id/layer");
    assert_eq!(selector(json!({ "resource_id": bare })).find(&tree).len(), 1);
}
