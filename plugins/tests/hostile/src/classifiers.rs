//! Hostile classifiers.

use crate::misdeeds::{commit, provided, text};
use handset_plugin::bindings::readiness as world;
use handset_plugin::{Assessment, ElementAt, Evidence, State, Timeline};
use world::exports::handset::plugin::readiness::{ClassifierInfo, Guest};

/// Beside what every interface offers.
const OWN: &[&str] = &[
    "bad-evidence",
    "unlent-evidence",
    "flood-evidence",
    "million-calls",
    "many-handles",
    "err",
    "always-settled",
];

struct Hostile;

impl Guest for Hostile {
    fn classifiers() -> Vec<ClassifierInfo> {
        provided("readiness", OWN)
            .into_iter()
            .map(|name| ClassifierInfo {
                name: name.to_owned(),
                summary: "Hostile, as its name says.".to_owned(),
                probes: Vec::new(),
            })
            .collect()
    }

    fn classify(name: String, samples: &Timeline) -> Result<Assessment, String> {
        handset_plugin::export::install();
        commit(&name);
        Ok(match name.as_str() {
            "huge-string" | "large-string" | "long-reason" => {
                Assessment::of(State::Unknown).limitation(text(&name))
            }
            "bad-evidence" => pointing(samples.latest().info().revision, u32::MAX),
            "unlent-evidence" => pointing(u32::MAX, 0),
            "flood-evidence" => {
                let mut assessment = Assessment::of(State::Settled);
                assessment.evidence = vec![Evidence::firm("flood"); 100_000];
                assessment
            }
            "million-calls" => {
                for _ in 0..1_000_000 {
                    samples.count();
                }
                Assessment::of(State::Settled)
            }
            "many-handles" => {
                let mut held = Vec::new();
                loop {
                    held.push(samples.latest());
                }
            }
            "err" => return Err("on purpose".to_owned()),
            _ => Assessment::of(State::Settled),
        })
    }
}

fn pointing(revision: u32, index: u32) -> Assessment {
    let mut evidence = Evidence::firm("bad-pointer");
    evidence.at = Some(ElementAt { revision, index });
    Assessment::of(State::Settled).evidence(evidence)
}

world::export_readiness_world!(Hostile with_types_in world);
