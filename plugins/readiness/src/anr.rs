//! An app that does not respond.

use handset_plugin::{Assessment, Classifier, Evidence, Observation, Selector, State, Timeline};
use serde_json::Value;

/// The system's own dialog: only it has this button.
const WAIT_BUTTON: &str = "android:id/aerr_wait";
/// Also on the crash dialog, so it counts only beside the words.
const CLOSE_BUTTON: &str = "android:id/aerr_close";
/// The package the dialog belongs to.
const SYSTEM: &str = "android";
/// How the dialog's title ends or reads, lower-cased.
const WORDS: &[&str] = &[
    "isn't responding",
    "isn’t responding",
    "is not responding",
    "keeps not responding",
    "не отвечает",
    "не відповідає",
    "reagiert nicht",
    "ne répond pas",
    "no responde",
    "não está respondendo",
    "não responde",
    "non risponde",
    "nie odpowiada",
    "yanıt vermiyor",
    "reageert niet",
    "応答していません",
    "응답하지 않습니다",
    "没有响应",
    "無回應",
    "沒有回應",
];

/// Finds the system's "isn't responding" window, and asks the activity manager's record.
pub struct Anr;

impl Classifier for Anr {
    const NAME: &str = "anr";
    const SUMMARY: &str = "Unresponsive while the system's \"isn't responding\" window shows or the activity manager records one.";
    const PROBES: &[&str] = &["anr"];

    fn classify(samples: &Timeline) -> Result<Assessment, String> {
        let screen = samples.latest();
        let mut found = Assessment::of(State::Unknown);
        if let Some(evidence) = window(&screen)? {
            found.state = State::Unresponsive;
            found.evidence.push(evidence);
        }
        match samples.probed("anr") {
            None if found.state == State::Unresponsive => {}
            None => found.unsupported.push("unresponsive".to_owned()),
            Some(record) if is_active(&record) => {
                found.state = State::Unresponsive;
                found
                    .evidence
                    .push(Evidence::firm("anr-record").detail(of_process(&record)));
            }
            Some(_) => {}
        }
        Ok(found)
    }
}

fn window(screen: &Observation) -> Result<Option<Evidence>, String> {
    if let Some(&button) = screen.select(&Selector::resource_id(WAIT_BUTTON))?.first() {
        return Ok(Some(Evidence::firm("anr-window").at(screen, button)));
    }
    let words: Vec<String> = WORDS.iter().map(|&word| word.to_owned()).collect();
    let titles = screen.find_words(&words);
    if titles.is_empty() {
        return Ok(None);
    }
    let has_close = !screen
        .select(&Selector::resource_id(CLOSE_BUTTON))?
        .is_empty();
    Ok(titles
        .into_iter()
        .find(|&title| has_close || package_of(screen, title).as_deref() == Some(SYSTEM))
        .map(|title| Evidence::firm("anr-window").at(screen, title)))
}

/// The element's package, or its nearest ancestor's, or the tree's.
fn package_of(screen: &Observation, index: u32) -> Option<String> {
    let named = |facts: Value| Some(facts.get("package")?.as_str()?.to_owned());
    let mut at = Some(index);
    while let Some(index) = at {
        if let Some(package) = named(screen.facts_of(index)) {
            return Some(package);
        }
        at = screen.element(index)?.parent;
    }
    named(screen.tree_facts())
}

/// Whether a probe says yes: `true`, or an object whose `active` is.
pub fn is_active(record: &Value) -> bool {
    record
        .as_bool()
        .or_else(|| record.get("active")?.as_bool())
        .unwrap_or(false)
}

/// The process a probe names, and why it does.
pub fn of_process(record: &Value) -> String {
    let texts = ["process", "reason"]
        .iter()
        .filter_map(|name| record.get(name)?.as_str());
    texts.collect::<Vec<_>>().join(": ")
}
