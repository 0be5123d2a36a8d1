//! `cases/*.toml`: what a plugin is asked, and what it is expected to say.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

/// A case's file is a page.
const MAX_CASE: u64 = 64 << 10;

/// One file of `cases/`. Which of `classifier`, `predicate` and `step` it has says what is asked.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Case {
    /// One sentence for the reader of the table.
    pub(super) summary: Option<String>,
    /// A readiness classifier, without the plugin's name.
    pub(super) classifier: Option<String>,
    /// A condition predicate.
    pub(super) predicate: Option<String>,
    /// A journey step type.
    pub(super) step: Option<String>,
    /// Arguments of the predicate or step.
    pub(super) arguments: Map<String, Value>,
    /// What the operator would have set.
    pub(super) settings: Map<String, Value>,
    /// What the operator would have granted; without it, all that the manifest requests.
    pub(super) grants: Option<Vec<String>>,
    /// The screens a classifier or predicate is shown, oldest first; the last is the current one.
    pub(super) screens: Vec<Source>,
    /// The screen a predicate compares with.
    pub(super) baseline: Option<Source>,
    /// Milliseconds between the screens.
    pub(super) interval_ms: Option<u32>,
    /// The input a predicate decides on.
    pub(super) pending: Pending,
    /// The app a step drives: a scene's name, or a scene file beside the case.
    pub(super) scene: Option<String>,
    /// The scene's screen to begin at.
    pub(super) start: Option<String>,
    /// A step's time, milliseconds.
    pub(super) timeout_ms: Option<u64>,
    /// What must come of it.
    pub(super) expect: Expect,
}

/// Where a screen comes from.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Source {
    /// A uiautomator dump beside the case.
    Capture(PathBuf),
    /// A screen of a scene.
    Scene(OfScene),
}

/// A scene's screen.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OfScene {
    /// The scene's name, or its file beside the case.
    pub(super) scene: String,
    /// Which of its screens; the first without it.
    pub(super) screen: Option<String>,
}

/// `[pending]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Pending {
    /// The tool; `tap_element` without it.
    pub(super) tool: Option<String>,
    /// Its arguments.
    pub(super) arguments: Map<String, Value>,
    /// The target: a selector of one element of the current screen.
    pub(super) target: Option<Value>,
}

/// `[expect]`: every member that is there must come true.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Expect {
    /// `holds`, `fails` or `cannot_tell`.
    pub(super) verdict: Option<String>,
    /// A state as on the wire, such as `loading`.
    pub(super) state: Option<String>,
    /// Whether the step passes.
    pub(super) passed: Option<bool>,
    /// A step's failure code, or that of a refusal before anything ran.
    pub(super) failure_code: Option<String>,
    /// Part of the reason or message.
    pub(super) says: Option<String>,
    /// Members that the step's body has.
    pub(super) body: Option<Value>,
    /// Signals among the evidence.
    pub(super) evidence: Vec<String>,
    /// Part of a fault's text: the plugin is meant to break.
    pub(super) fault: Option<String>,
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asks<'a> {
    Classifier(&'a str),
    Predicate(&'a str),
    Step(&'a str),
}

impl Case {
    /// Reads and checks one file.
    ///
    /// # Errors
    /// What is wrong, naming file and member.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let size = std::fs::metadata(path).map_err(|why| format!("{shown}: {why}"))?.len();
        if size > MAX_CASE {
            return Err(format!("{shown}: larger than {} KiB", MAX_CASE >> 10));
        }
        let text = std::fs::read_to_string(path).map_err(|why| format!("{shown}: {why}"))?;
        let case: Self = toml::from_str(&text).map_err(|why| format!("{shown}: {why}"))?;
        case.check().map_err(|why| format!("{shown}: {why}"))?;
        Ok(case)
    }

    /// What is asked; [`Case::read`] has seen to it that it is one thing.
    pub(super) fn asks(&self) -> Option<Asks<'_>> {
        match (&self.classifier, &self.predicate, &self.step) {
            (Some(name), None, None) => Some(Asks::Classifier(name)),
            (None, Some(name), None) => Some(Asks::Predicate(name)),
            (None, None, Some(name)) => Some(Asks::Step(name)),
            _ => None,
        }
    }

    fn check(&self) -> Result<(), String> {
        let expect = &self.expect;
        let refusal = expect.fault.is_some() || expect.failure_code.is_some();
        let wanted = |there: bool, what: &str| if there { Ok(()) } else { Err(format!("give {what}")) };
        let fits = |there: bool, what: &str| if there { Ok(()) } else { Err(format!("{what} does not belong here")) };
        match self.asks() {
            None => return Err("give one of classifier, predicate and step".to_owned()),
            Some(Asks::Step(_)) => {
                wanted(self.scene.is_some(), "scene: the app the step drives")?;
                wanted(expect.passed.is_some() || refusal, "expect.passed, expect.failure_code or expect.fault")?;
                fits(expect.verdict.is_none() && expect.state.is_none(), "expect.verdict or expect.state")?;
                fits(self.screens.is_empty() && self.baseline.is_none(), "screens or baseline")?;
            }
            Some(asks) => {
                let classifier = matches!(asks, Asks::Classifier(_));
                wanted(!self.screens.is_empty(), "screens: at least one")?;
                fits(self.scene.is_none(), "scene: name it in screens, as { scene = \"…\" }; it")?;
                fits(expect.passed.is_none() && expect.body.is_none(), "expect.passed or expect.body")?;
                fits(
                    !classifier || (expect.verdict.is_none() && self.baseline.is_none()),
                    "expect.verdict or baseline",
                )?;
                fits(classifier || expect.state.is_none(), "expect.state")?;
                let said = if classifier { expect.state.is_some() } else { expect.verdict.is_some() };
                wanted(
                    said || refusal,
                    "what is expected: expect.verdict, expect.state, expect.failure_code or expect.fault",
                )?;
            }
        }
        let known = |given: &Option<String>, words: &[&str], member: &str| match given {
            Some(word) if !words.contains(&word.as_str()) => {
                Err(format!("expect.{member}: {word:?} is none of {}", words.join(", ")))
            }
            _ => Ok(()),
        };
        known(&expect.verdict, &["holds", "fails", "cannot_tell"], "verdict")?;
        let states = ["unknown", "settled", "transitioning", "loading", "unresponsive", "debugger_paused"];
        known(&expect.state, &states, "state")
    }
}

impl Asks<'_> {
    /// For the table.
    pub(super) fn shown(self) -> String {
        match self {
            Self::Classifier(name) => format!("readiness {name}"),
            Self::Predicate(name) => format!("condition {name}"),
            Self::Step(name) => format!("step {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn parsed(text: &str) -> Result<Case, String> {
        let case: Case = toml::from_str(text).map_err(|why| why.to_string())?;
        case.check().map(|()| case)
    }

    #[test]
    fn a_case_says_what_it_asks_and_what_it_expects() {
        let case = parsed(
            "predicate = \"same\"\nscreens = [\"a.xml\", { scene = \"login\", screen = \"welcome\" }]\n[expect]\nverdict = \"holds\"",
        )
        .unwrap();
        assert_eq!(case.asks(), Some(Asks::Predicate("same")));
        assert_eq!(case.screens.len(), 2);
    }

    #[test]
    fn a_case_that_could_not_fail_or_asks_two_things_is_refused_by_name() {
        for (text, words) in [
            ("", "one of classifier, predicate and step"),
            ("step = \"a\"\npredicate = \"b\"", "one of classifier"),
            ("step = \"a\"\nscene = \"login\"", "expect.passed"),
            ("step = \"a\"\n[expect]\npassed = true", "scene"),
            ("predicate = \"a\"\nscreens = [\"x.xml\"]", "expect.verdict"),
            ("predicate = \"a\"\n[expect]\nverdict = \"holds\"", "screens"),
            ("predicate = \"a\"\nscreens = [\"x.xml\"]\n[expect]\nverdict = \"yes\"", "\"yes\" is none of holds"),
            ("classifier = \"a\"\nscreens = [\"x.xml\"]\n[expect]\nverdict = \"holds\"", "does not belong"),
            ("classifier = \"a\"\nscreens = [\"x.xml\"]\n[expect]\nstate = \"loaded\"", "is none of unknown"),
            ("classifer = \"a\"", "classifer"),
        ] {
            let why = parsed(text).unwrap_err();
            assert!(why.contains(words), "{text:?}: {why}");
        }
    }
}
