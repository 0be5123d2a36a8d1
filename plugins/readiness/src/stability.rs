//! Whether the screen holds still: the last two reads compared.

use handset_plugin::{Assessment, Classifier, Evidence, Observation, State, Timeline};
use serde_json::Value;

const MOST_CHANGES: u32 = 4;

/// Limitations of a tree that make equal reads say less than they seem to.
const WEAKENING: &[&str] = &[
    "truncated",
    "webview_empty",
    "flutter_semantics_off",
    "stale_suspected",
    "secure_window",
];

/// Compares the last two reads. The gap between them is the host's to judge.
pub struct Stability;

impl Classifier for Stability {
    const NAME: &str = "stability";
    const SUMMARY: &str =
        "Settled when the last two reads are equal, transitioning when they differ.";

    fn classify(samples: &Timeline) -> Result<Assessment, String> {
        let latest = samples.latest();
        let seen = latest.info();
        let mut found = match samples.last_two() {
            None => Assessment::of(State::Unknown).limitation("one_sample"),
            Some((earlier, _)) => compare(samples, &earlier, &latest),
        };
        if seen.element_count == 0 {
            found.state = State::Unknown;
            found.limitations.push("empty_tree".to_owned());
        }
        found.limitations.extend(
            samples
                .failures()
                .into_iter()
                .filter(|failure| failure.at_ms > seen.captured_ms)
                .map(|failure| format!("last_read_failed: {}", failure.code))
                .take(1),
        );
        found.limitations.extend(weaknesses(&latest.tree_facts()));
        Ok(found)
    }
}

fn compare(samples: &Timeline, earlier: &Observation, latest: &Observation) -> Assessment {
    let (before, now) = (earlier.info(), latest.info());
    if before.session_id != now.session_id || before.platform != now.platform {
        return Assessment::of(State::Unknown).limitation("different_session");
    }
    if before.revision != now.revision {
        return changed(earlier, latest);
    }
    if samples
        .last_input()
        .is_some_and(|input| before.started_ms < input.at_ms)
    {
        return Assessment::of(State::Unknown).limitation("read_before_input");
    }
    let gap = (now.started_ms - before.captured_ms).max(0.0);
    Assessment::of(State::Settled).evidence(Evidence::firm("same-revision").detail(format!(
        "revision {} twice, {gap:.0} ms apart",
        now.revision
    )))
}

fn changed(earlier: &Observation, latest: &Observation) -> Assessment {
    let mut found = Assessment::of(State::Transitioning);
    let (before, now) = (earlier.info().revision, latest.info().revision);
    for change in latest.changes_since(earlier, MOST_CHANGES) {
        let what = format!("{} {}", change.kind, change.fields.join(", "));
        let evidence = Evidence::firm("element-changed").detail(what.trim_end());
        found.evidence.push(match (change.now, change.was) {
            (Some(index), _) => evidence.at(latest, index),
            (None, Some(index)) => evidence.at(earlier, index),
            (None, None) => evidence,
        });
    }
    found.evidence(Evidence::firm("revision-changed").detail(format!("{before} to {now}")))
}

/// The tree's limitations that matter here, each a code or an object with one.
fn weaknesses(facts: &Value) -> Vec<String> {
    let listed = facts.get("limitations").and_then(Value::as_array);
    let code = |entry: &Value| {
        let code = entry.as_str().or_else(|| entry.get("code")?.as_str())?;
        Some(code.to_owned())
    };
    listed
        .into_iter()
        .flatten()
        .filter_map(code)
        .filter(|code| WEAKENING.contains(&code.as_str()))
        .collect()
}
