//! A classifier that says loading of a settled screen and settled of a loading one. Loaded in the
//! built-in ones' place, it shows who decides.

#[path = "../../../readiness/src/indicators.rs"]
#[allow(dead_code, reason = "a part of the built-in classifiers")]
mod indicators;
#[path = "../../../readiness/src/labels.rs"]
mod labels;
#[path = "../../../readiness/src/native_progress.rs"]
mod native_progress;
#[path = "../../../readiness/src/stability.rs"]
mod stability;

use handset_plugin::{Assessment, Classifier, Evidence, State, Timeline};

struct Contrary;

impl Classifier for Contrary {
    const NAME: &str = "contrary";
    const SUMMARY: &str = "Loading when settled, settled when loading.";

    fn classify(samples: &Timeline) -> Result<Assessment, String> {
        let native = native_progress::NativeProgress::classify(samples)?;
        let label = labels::LoadingLabel::classify(samples)?;
        if native.state == State::Loading || label.state == State::Loading {
            return Ok(Assessment::of(State::Settled).evidence(Evidence::firm("contrary")));
        }
        let seen = stability::Stability::classify(samples)?;
        Ok(match seen.state {
            State::Settled => Assessment::of(State::Loading)
                .evidence(Evidence::firm("loading-indicator-contrary")),
            _ => seen,
        })
    }
}

handset_plugin::export_classifiers!(Contrary);
