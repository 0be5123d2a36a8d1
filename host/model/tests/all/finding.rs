//! Elements found by words: which is best, in which order, how sure.

use handset_model::ui::{Extent, Met, confidence, find_by_words};

use crate::support::{around, capture, captures_dir, leaf, screen, tree_of};

fn scores(inside: &str, query: &str, exact: bool) -> Vec<(u32, Met, Extent)> {
    let tree = tree_of(screen(inside));
    find_by_words(&tree, query, exact).iter().map(|found| (found.index, found.met, found.extent)).collect()
}

fn label(text: &str) -> String {
    leaf(&[("text", text), ("class", "android.widget.TextView")])
}

fn button(attributes: &[(&str, &str)]) -> String {
    let mut all = vec![("class", "android.widget.Button"), ("clickable", "true"), ("enabled", "true")];
    all.extend(attributes);
    leaf(&all)
}

#[test]
fn the_whole_text_comes_before_its_beginning_its_words_and_its_parts() {
    let inside = [label("Design"), label("Please sign in"), label("Sign in to shop"), label("SIGN IN ")].concat();
    assert_eq!(
        scores(&inside, "sign in", false),
        [(3, Met::Text, Extent::Whole), (2, Met::Text, Extent::Beginning), (1, Met::Text, Extent::Words),]
    );
    assert_eq!(scores(&inside, "sign", false).last(), Some(&(0, Met::Text, Extent::Part)));
}

#[test]
fn exact_takes_whole_matches_only() {
    let inside = [label("Sign in to shop"), button(&[("text", "Sign in")]), label("Button")].concat();
    assert_eq!(scores(&inside, "sign in", true), [(1, Met::Text, Extent::Whole)]);
    assert_eq!(scores(&inside, "button", true), [(2, Met::Text, Extent::Whole)], "a class is no name");
}

#[test]
fn ids_are_read_as_words() {
    for id in ["com.app:id/sign_in", "com.app:id/signIn", "sign-in", "com.app:id/sign_in_button"] {
        let inside = button(&[("resource-id", id)]);
        let found = scores(&inside, "sign in", false);
        assert_eq!((found.len(), found[0].1), (1, Met::ResourceId), "{id}");
    }
}

#[test]
fn of_equals_the_one_that_takes_a_tap_comes_first() {
    let inside = [label("Next"), button(&[("text", "Next")])].concat();
    assert_eq!(scores(&inside, "next", false)[0].0, 1);
}

#[test]
fn what_cannot_be_seen_comes_after_what_can() {
    let inside = [
        button(&[("text", "Buy"), ("bounds", "[0,3000][100,3100]")]),
        button(&[("text", "Buy now"), ("bounds", "[0,100][100,200]")]),
    ]
    .concat();
    assert_eq!(scores(&inside, "buy", false)[0].0, 1);
}

#[test]
fn confidence_is_halved_by_a_rival_and_not_by_the_row_of_the_same_tap() {
    let sure = |inside: &str, query: &str| {
        let tree = tree_of(screen(inside));
        confidence(&find_by_words(&tree, query, false))
    };
    let one = button(&[("text", "Buy")]);
    assert_eq!(sure(&one, "buy"), 1.0);
    assert_eq!(sure(&one.repeat(2), "buy"), 0.5);
    let row = around(
        &[
            ("class", "android.widget.LinearLayout"),
            ("clickable", "true"),
            ("enabled", "true"),
            ("content-desc", "Wi-Fi"),
        ],
        &leaf(&[("text", "Wi-Fi"), ("class", "android.widget.TextView"), ("enabled", "true")]),
    );
    assert_eq!(sure(&row, "wi-fi"), 1.0, "label and row are one target");
    assert_eq!(sure(&one, "sell"), 0.0);
    let near = sure(&[button(&[("text", "Buy")]), button(&[("text", "Buy it")])].concat(), "buy");
    assert!(near > 0.5, "{near}");
}

#[test]
fn every_order_is_the_same_each_time_and_every_score_a_share() {
    for entry in std::fs::read_dir(captures_dir().join("android")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Ok(tree) = crate::support::parse(capture(&format!("android/{name}"))) else { continue };
        for query in ["a", "settings", "search", "ok", "text"] {
            let found = find_by_words(&tree, query, false);
            assert_eq!(found, find_by_words(&tree, query, false), "{name}");
            assert!(found.iter().all(|one| (0.0..=1.0).contains(&one.score)), "{name}");
            assert!(found.is_sorted_by(|a, b| a.score >= b.score), "{name}");
        }
    }
}
