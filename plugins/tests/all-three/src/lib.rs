//! One component with all three interfaces, each of them trivial.

use handset_plugin::{
    Assessment, Classifier, Comparison, Failure, Finding, Predicate, Report, Session, State, Step,
    Timeline, export_classifiers, export_predicates, export_steps,
};

/// No arguments.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

impl Step for Nothing {
    const NAME: &str = "pass";
    const SUMMARY: &str = "Passes at once.";
    const GRANTS: &[&str] = &[];

    fn run(self, _session: &Session) -> Result<Report, Failure> {
        Ok(Report::passed())
    }
}

impl Predicate for Nothing {
    const NAME: &str = "hold";
    const SUMMARY: &str = "Holds always.";

    fn check(self, _screens: &Comparison) -> Result<Finding, String> {
        Ok(Finding::holds())
    }
}

impl Classifier for Nothing {
    const NAME: &str = "shrug";
    const SUMMARY: &str = "Says unknown always.";

    fn classify(_samples: &Timeline) -> Result<Assessment, String> {
        Ok(Assessment::of(State::Unknown))
    }
}

export_steps!(Nothing);
export_predicates!(Nothing);
export_classifiers!(Nothing);
