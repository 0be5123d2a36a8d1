//! Which element takes the tap that was meant for a match.

use handset_model::ui::{Match, Tree, resolve_target};
use handset_model::{Code, Failure};
use serde_json::json;

use crate::support::{around, leaf, screen, selector, tree_of};

fn resolve(tree: &Tree, json: serde_json::Value) -> Result<Match, Failure> {
    resolve_target(tree, &selector(json), None)
}

const CLICKABLE: (&str, &str) = ("clickable", "true");

#[test]
fn an_actionable_match_is_its_own_target() {
    let tree = tree_of(screen(&leaf(&[("text", "OK"), CLICKABLE])));
    assert_eq!(resolve(&tree, json!({"text": "ok"})), Ok(Match { matched: 0, target: 0 }));
}

#[test]
fn a_label_resolves_to_its_clickable_row() {
    let row = around(
        &[CLICKABLE, ("bounds", "[0,0][1080,200]")],
        &around(&[("resource-id", "box")], &leaf(&[("text", "Wi-Fi")])),
    );
    let tree = tree_of(screen(&row));
    let resolved = resolve(&tree, json!({"text": "Wi-Fi"})).unwrap();
    assert_eq!(resolved, Match { matched: 2, target: 0 });
    assert_eq!(resolved.point(&tree), Some((60, 35)), "the row is tapped at its label");
}

#[test]
fn two_labels_of_one_row_are_one_match() {
    let row = around(&[CLICKABLE], &(leaf(&[("text", "Sync")]) + &leaf(&[("text", "sync")])));
    assert_eq!(resolve(&tree_of(screen(&row)), json!({"text": "sync"})).map(|found| found.target), Ok(0));
}

#[test]
fn a_label_beside_its_button_resolves_to_the_smallest_that_contains_it() {
    let large = leaf(&[CLICKABLE, ("resource-id", "card"), ("bounds", "[0,0][1000,1000]")]);
    let small = leaf(&[CLICKABLE, ("resource-id", "button"), ("bounds", "[0,0][300,100]")]);
    let tree = tree_of(screen(&(small + &large + &leaf(&[("text", "Go")]))));
    assert_eq!(resolve(&tree, json!({"text": "Go"})), Ok(Match { matched: 2, target: 0 }));
}

#[test]
fn a_list_does_not_take_the_tap_of_its_text() {
    let list = around(
        &[("focusable", "true"), ("scrollable", "true"), ("bounds", "[0,0][1080,1920]")],
        &leaf(&[("text", "Header")]),
    );
    let failure = resolve(&tree_of(screen(&list)), json!({"text": "Header"})).unwrap_err();
    assert_eq!(failure.code, Code::ElementNotInteractable);
}

#[test]
fn several_targets_are_ambiguous_and_shown() {
    let tree = tree_of(screen(&leaf(&[("text", "Add"), CLICKABLE]).repeat(7)));
    let failure = resolve(&tree, json!({"text": "Add"})).unwrap_err();
    assert_eq!(failure.code, Code::AmbiguousTarget);
    assert!(failure.message.starts_with('7'), "{}", failure.message);
    assert_eq!(failure.candidates.len(), 5);
    assert_eq!(failure.candidates[1]["index"], 1);
}

#[test]
fn an_index_picks_among_all_matches() {
    let tree = tree_of(screen(&leaf(&[("text", "Add"), CLICKABLE]).repeat(2)));
    let add = selector(json!({"text": "Add"}));
    assert_eq!(resolve_target(&tree, &add, Some(1)).map(|found| found.target), Ok(1));
    assert_eq!(resolve_target(&tree, &add, Some(2)).unwrap_err().code, Code::ElementNotFound);
}

#[test]
fn a_twin_that_cannot_be_seen_does_not_compete() {
    let hidden = leaf(&[("text", "Next"), CLICKABLE, ("bounds", "[2000,0][2100,50]")]);
    let tree = tree_of(screen(&(hidden + &leaf(&[("text", "Next"), CLICKABLE]))));
    assert_eq!(resolve(&tree, json!({"text": "Next"})).map(|found| found.target), Ok(1));
}

#[test]
fn disabled_and_hidden_targets_are_refused() {
    for (attribute, words) in [(("enabled", "false"), "disabled"), (("bounds", "[0,0][0,0]"), "not visible")] {
        let tree = tree_of(screen(&leaf(&[("text", "Pay"), CLICKABLE, attribute])));
        let failure = resolve(&tree, json!({"text": "Pay"})).unwrap_err();
        assert_eq!(failure.code, Code::ElementNotInteractable);
        assert!(failure.message.contains(words), "{}", failure.message);
    }
}

#[test]
fn what_is_not_there_is_not_found_but_near_misses_are_shown() {
    let tree = tree_of(screen(&leaf(&[("content-desc", "Sign in"), CLICKABLE])));
    let failure = resolve(&tree, json!({"text": "Sign in"})).unwrap_err();
    assert_eq!(failure.code, Code::ElementNotFound);
    assert_eq!(failure.candidates[0]["accessibility_id"], "Sign in");
}
