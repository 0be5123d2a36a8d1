//! Revisions: one counter, moved by signatures, never reused.

use std::sync::Arc;

use handset_model::snapshot::{
    ChangeKind, History, HistoryLimits, Observation, ScreenFacts, changes, counterpart, delta, diff, identity,
    same_identity, signature,
};
use handset_model::ui::{ParseOptions, Size, parse_hierarchy};
use serde_json::json;

use crate::support::{leaf, phone, read_at, screen, tree_of};

fn history() -> History {
    History::new(Arc::from("session"), HistoryLimits::default())
}

fn show(history: &mut History, id: &str, connection: u64, at: f64, text: &str) -> Arc<Observation> {
    history.record(read_at(id, connection, at), tree_of(screen(&leaf(&[("text", text)]))), ScreenFacts::default())
}

fn shown(inside: &str) -> Arc<Observation> {
    history().record(read_at("p", 1, 1.0), tree_of(screen(inside)), ScreenFacts::default())
}

#[test]
fn there_and_back_is_three_revisions() {
    let mut history = history();
    let revisions = ["A", "B", "A"].map(|text| show(&mut history, "p", 1, 1.0, text).revision);
    assert_eq!(revisions, [1, 2, 3]);
}

#[test]
fn the_same_screen_keeps_its_revision_and_takes_the_later_time() {
    let mut history = history();
    let one = show(&mut history, "p", 1, 1.0, "A");
    let two = show(&mut history, "p", 1, 500.0, "A");
    assert_eq!((one.revision, two.revision, two.captured_ms), (1, 1, 500.0));
    assert_eq!(history.newest(&phone("p"), 1, 500.0).unwrap().captured_ms, 500.0);
}

#[test]
fn devices_share_the_counter_and_nothing_else() {
    let mut history = history();
    assert_eq!(show(&mut history, "p", 1, 1.0, "A").revision, 1);
    assert_eq!(show(&mut history, "q", 2, 1.0, "A").revision, 2);
    assert_eq!(show(&mut history, "p", 1, 2.0, "A").revision, 1);
    assert_eq!(history.owner(2, 2.0), Some(phone("q")));
    assert!(history.retained(&phone("p"), 1, 2, 2.0).is_none());
}

#[test]
fn eight_revisions_are_kept() {
    let mut history = history();
    for text in ["a", "b", "c", "d", "e", "f", "g", "h", "i"] {
        show(&mut history, "p", 1, 1.0, text);
    }
    assert!(history.retained(&phone("p"), 1, 1, 1.0).is_none());
    assert!(history.retained(&phone("p"), 1, 2, 1.0).is_some());
    assert_eq!(history.owner(1, 1.0), None);
}

#[test]
fn a_baseline_outlives_its_eviction() {
    let mut history = history();
    show(&mut history, "p", 1, 1.0, "kept");
    let baseline = history.retained(&phone("p"), 1, 1, 1.0).unwrap();
    for text in ["a", "b", "c", "d", "e", "f", "g", "h", "i"] {
        show(&mut history, "p", 1, 1.0, text);
    }
    assert_eq!(baseline.tree.elements[0].text.as_deref(), Some("kept"));
}

#[test]
fn a_revision_expires_ten_minutes_after_it_was_last_seen() {
    let mut history = history();
    show(&mut history, "p", 1, 0.0, "A");
    show(&mut history, "p", 1, 300_000.0, "A");
    assert!(history.retained(&phone("p"), 1, 1, 900_000.0).is_some());
    assert!(history.retained(&phone("p"), 1, 1, 900_001.0).is_none());
    assert_eq!(show(&mut history, "p", 1, 900_001.0, "A").revision, 2, "never the old number again");
}

#[test]
fn another_connection_forgets_the_device() {
    let mut history = history();
    show(&mut history, "p", 1, 1.0, "A");
    assert!(history.newest(&phone("p"), 2, 1.0).is_none());
    assert_eq!(show(&mut history, "p", 2, 2.0, "A").revision, 2);
    assert!(history.retained(&phone("p"), 1, 1, 2.0).is_none());
}

#[test]
fn a_forgotten_device_starts_with_a_new_revision() {
    let mut history = history();
    show(&mut history, "p", 1, 1.0, "A");
    history.forget(&phone("p"));
    assert_eq!(show(&mut history, "p", 1, 2.0, "A").revision, 2);
}

#[test]
fn the_screen_in_front_is_part_of_the_signature() {
    let mut history = history();
    let tree = || tree_of(screen(&leaf(&[("text", "A")])));
    let facts = |activity: &str| ScreenFacts { package: None, activity: Some(activity.into()) };
    assert_eq!(history.record(read_at("p", 1, 1.0), tree(), facts("a")).revision, 1);
    assert_eq!(history.record(read_at("p", 1, 2.0), tree(), facts("b")).revision, 2);
}

#[test]
fn each_member_of_the_contract_moves_the_signature() {
    let of = |attributes: &[(&str, &str)]| {
        let tree = tree_of(screen(&leaf(attributes)));
        signature(&tree, "", Size::default())
    };
    let base = [("text", "x"), ("class", "android.view.View")];
    for (name, value) in [
        ("text", "y"),
        ("content-desc", "y"),
        ("resource-id", "y"),
        ("class", "android.widget.Button"),
        ("clickable", "true"),
        ("enabled", "false"),
        ("visible-to-user", "false"),
        ("checked", "true"),
        ("selected", "true"),
        ("focused", "true"),
        ("expanded", "true"),
        ("bounds", "[10,10][110,61]"),
    ] {
        let kept = base.into_iter().filter(|(member, _)| *member != name);
        let changed: Vec<_> = kept.chain([(name, value)]).collect();
        assert_ne!(of(&base), of(&changed), "{name}");
    }
    assert_eq!(of(&base), of(&[("text", " X "), ("class", "android.view.View"), ("index", "7")]), "normalised");
}

#[test]
fn a_password_moves_the_signature_without_its_text() {
    let of = |content: &str| {
        let dump = screen(&leaf(&[("text", content), ("password", "true")]));
        let tree = parse_hierarchy(dump.as_bytes(), &ParseOptions { display: None, secret_key: 7 }).unwrap();
        signature(&tree, "", Size::default())
    };
    assert_ne!(of("a"), of("b"));
    assert_eq!(of("a"), of("a"));
}

#[test]
fn a_delta_holds_what_changed_and_nothing_else() {
    let same = leaf(&[("resource-id", "title"), ("text", "Title")]);
    let base = shown(&(same.clone() + &leaf(&[("resource-id", "ok"), ("text", "OK")]) + &leaf(&[("text", "gone")])));
    let now = shown(
        &(same + &leaf(&[("resource-id", "ok"), ("text", "OK"), ("enabled", "false")]) + &leaf(&[("text", "new")])),
    );
    let delta = delta(Some(&base), &now);
    assert_eq!(delta["added"].as_array().map(Vec::len), Some(1));
    assert_eq!((&delta["added"][0]["text"], &delta["added"][0]["index"]), (&json!("new"), &json!(2)));
    assert_eq!(delta["removed"], json!([{"text": "gone", "index": 2}]));
    assert_eq!(delta["changed"].as_array().map(Vec::len), Some(1));
    assert_eq!((&delta["changed"][0]["resourceId"], &delta["changed"][0]["enabled"]), (&json!("ok"), &json!(false)));
    assert_eq!((&delta["truncated"], delta.get("omitted_changes")), (&json!(false), None));
    let (changes, rest) = changes(&base, &now, 1);
    assert_eq!((changes[0].kind, changes[0].fields.as_slice(), rest), (ChangeKind::Changed, ["enabled"].as_slice(), 2));
}

#[test]
fn without_a_base_everything_is_added() {
    let delta = delta(None, &shown(&leaf(&[("text", "a")])));
    assert_eq!(delta["base_snapshot_revision"], json!(null));
    assert_eq!(delta["added"][0]["text"], "a");
}

#[test]
fn an_inserted_row_does_not_touch_its_equals() {
    let row = |text: &str, top: u32| {
        leaf(&[("resource-id", "com.app:id/row"), ("text", text), ("bounds", &format!("[0,{top}][9,{}]", top + 9))])
    };
    let base = shown(&(row("a", 0) + &row("a", 10)));
    let now = shown(&(row("a", 0) + &row("a", 10) + &row("a", 20)));
    let (all, _) = changes(&base, &now, 200);
    assert_eq!(all.iter().map(|change| (change.kind, change.now)).collect::<Vec<_>>(), [(ChangeKind::Added, Some(2))]);
}

#[test]
fn more_than_200_changes_are_counted() {
    let rows = |count: usize| -> String { (0..count).map(|row| leaf(&[("text", &format!("row {row}"))])).collect() };
    let delta = diff(Some(&shown(&rows(0))), &shown(&rows(250)));
    assert_eq!((delta.changes.len(), delta.omitted, delta.truncated), (200, 50, true));
}

#[test]
fn past_500_nodes_on_either_side_a_delta_is_truncated() {
    let rows = |count: usize| -> String { (0..count).map(|row| leaf(&[("text", &format!("row {row}"))])).collect() };
    let (large, small) = (shown(&rows(501)), shown(&rows(500)));
    assert!(diff(Some(&large), &small).truncated);
    assert!(diff(Some(&small), &large).truncated);
    assert!(!diff(Some(&small), &small).truncated);
}

#[test]
fn an_element_id_survives_only_as_the_same_element() {
    let tree = |inside: String| tree_of(screen(&inside));
    let login = leaf(&[("resource-id", "login"), ("text", "Log in")]);
    let moved = tree(leaf(&[("text", "banner")]) + &login.replace("Log in", "Sign in"));
    assert!(same_identity(&tree(login), 0, &moved, 1), "by stable id");
    let rows = |texts: [&str; 2]| tree(texts.map(|text| leaf(&[("resource-id", "row"), ("text", text)])).concat());
    let (before, scrolled) = (rows(["a", "b"]), rows(["b", "c"]));
    assert!(!same_identity(&before, 1, &scrolled, 1), "another row stands there");
    assert!(!same_identity(&before, 1, &scrolled, 0), "the same row, but elsewhere");
    assert!(identity(&before, 9).is_empty());
    assert!(!same_identity(&before, 9, &scrolled, 9));
}

#[test]
fn a_counterpart_is_found_where_it_went() {
    let tree = |texts: &[&str]| tree_of(screen(&texts.iter().map(|text| leaf(&[("text", text)])).collect::<String>()));
    assert_eq!(counterpart(1, &tree(&["a", "b"]), &tree(&["b", "c"])), Some(0));
    assert_eq!(counterpart(0, &tree(&["a", "b"]), &tree(&["b", "c"])), None);
    assert_eq!(counterpart(1, &tree(&["a", "a"]), &tree(&["x", "a", "a"])), Some(2));
    assert_eq!(counterpart(1, &tree(&["a", "a"]), &tree(&["a"])), None, "no guess");
}
