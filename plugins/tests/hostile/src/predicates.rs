//! Hostile predicates.

use crate::misdeeds::{commit, provided, text};
use handset_plugin::bindings::condition as world;
use handset_plugin::{Comparison, ElementAt, Evidence, Finding, Violation};
use world::exports::handset::plugin::condition::{Guest, PredicateInfo};

/// Beside what every interface offers.
const OWN: &[&str] = &[
    "bad-evidence",
    "unlent-evidence",
    "flood-evidence",
    "million-calls",
    "many-handles",
    "long-search",
    "nan-selector",
    "err",
    "cannot-tell",
    "validate-spin",
];

struct Hostile;

impl Guest for Hostile {
    fn predicates() -> Vec<PredicateInfo> {
        provided("condition", OWN)
            .into_iter()
            .map(|name| PredicateInfo {
                name: name.to_owned(),
                summary: "Hostile, as its name says.".to_owned(),
                arguments_schema: r#"{"type":"object"}"#.to_owned(),
            })
            .collect()
    }

    fn validate(name: String, _: String) -> Vec<Violation> {
        if name == "validate-spin" {
            commit("spin");
        }
        Vec::new()
    }

    fn check(name: String, _: String, screens: &Comparison) -> Result<Finding, String> {
        handset_plugin::export::install();
        commit(&name);
        Ok(match name.as_str() {
            "huge-string" | "large-string" | "long-reason" => Finding::fails(text(&name)),
            "bad-evidence" => pointing(screens.current().info().revision, u32::MAX),
            "unlent-evidence" => pointing(u32::MAX, 0),
            "flood-evidence" => {
                let mut finding = Finding::holds();
                finding.evidence = vec![Evidence::firm("flood"); 100_000];
                finding
            }
            "million-calls" => {
                let screen = screens.current();
                for _ in 0..1_000_000 {
                    screen.element_id(0);
                }
                Finding::holds()
            }
            "many-handles" => {
                let mut held = Vec::new();
                loop {
                    held.push(screens.current());
                }
            }
            "long-search" => {
                // Each of them nearly there, at every place of a long text of one letter.
                let word = |last: u8| format!("{}{}", "a".repeat(126), char::from(last));
                let words: Vec<String> = (b'b'..=b'z').map(word).collect();
                screens.current().find_words(&words);
                Finding::holds()
            }
            "nan-selector" => {
                let nan = screens.current().find(r#"{"index": NaN}"#);
                nan.map(|_| Finding::holds())?
            }
            "err" => return Err("on purpose".to_owned()),
            "cannot-tell" => Finding::cannot_tell("on purpose"),
            _ => Finding::holds(),
        })
    }
}

fn pointing(revision: u32, index: u32) -> Finding {
    let mut evidence = Evidence::firm("bad-pointer");
    evidence.at = Some(ElementAt { revision, index });
    Finding::holds().evidence(evidence)
}

world::export_condition_world!(Hostile with_types_in world);
