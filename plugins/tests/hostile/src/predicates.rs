//! Hostile predicates.

use crate::misdeeds::{COMMON, commit, text};
use handset_plugin::bindings::condition as world;
use handset_plugin::{Comparison, ElementAt, Evidence, Finding, Violation};
use world::exports::handset::plugin::condition::{Guest, PredicateInfo};

/// Beside [`COMMON`].
const OWN: &[&str] = &[
    "bad-evidence",
    "unlent-evidence",
    "flood-evidence",
    "million-calls",
    "many-handles",
    "err",
    "cannot-tell",
    "validate-spin",
];

struct Hostile;

impl Guest for Hostile {
    fn predicates() -> Vec<PredicateInfo> {
        let names = COMMON.iter().chain(OWN);
        names
            .map(|&name| PredicateInfo {
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
