//! What a guest says, checked before anyone sees it: evidence must point into a lent observation, lists
//! and texts are bounded, control characters and terminal escapes are stripped.

use std::collections::BTreeMap;

use handset_model::snapshot::Observation;
use serde_json::Value;

use super::bindings::pure::handset::plugin::ui::Evidence;
use super::faults::Breach;
use super::limits::{DETAIL, LIST, NAME, TEXT};
use super::ops::EvidenceNote;

/// The observations a call was lent: revision and how many elements each has.
#[derive(Debug, Default)]
pub(super) struct Lent {
    revisions: BTreeMap<u64, usize>,
}

impl Lent {
    /// Remembers an observation as lent.
    pub(super) fn add(&mut self, observation: &Observation) {
        self.revisions.insert(observation.revision, observation.tree.elements.len());
    }

    fn holds(&self, revision: u64, index: u32) -> bool {
        self.revisions.get(&revision).is_some_and(|count| (index as usize) < *count)
    }
}

/// Checks a list of evidence.
///
/// # Errors
/// A bad return: too long, a name that is none, or an element that was never lent.
pub(super) fn check_all(evidence: Vec<Evidence>, lent: &Lent) -> Result<Vec<EvidenceNote>, Breach> {
    bounded(evidence.len(), "evidence")?;
    evidence.into_iter().map(|one| check(one, lent)).collect()
}

/// Checks one piece of evidence.
///
/// # Errors
/// As [`check_all`].
pub(super) fn check(evidence: Evidence, lent: &Lent) -> Result<EvidenceNote, Breach> {
    name(&evidence.signal, "an evidence's signal")?;
    let at = match evidence.at {
        None => None,
        Some(at) => {
            let revision = u64::from(at.revision);
            if !lent.holds(revision, at.index) {
                return Err(Breach::bad_return(format!(
                    "gave evidence at element {} of revision {revision}, which it was never lent",
                    at.index
                )));
            }
            Some((revision, at.index))
        }
    };
    let detail = evidence.detail.map(|detail| text(&detail, "an evidence's detail")).transpose()?;
    Ok(EvidenceNote { signal: evidence.signal, at, heuristic: evidence.heuristic, detail })
}

/// Checks a list of short texts, such as limitations.
///
/// # Errors
/// A bad return when there are too many or one is past all measure.
pub(super) fn texts(list: Vec<String>, what: &str) -> Result<Vec<String>, Breach> {
    bounded(list.len(), what)?;
    list.iter().map(|one| text(one, what)).collect()
}

/// A short text, cleaned and cut.
///
/// # Errors
/// A bad return when it is past all measure.
pub(super) fn text(text: &str, what: &str) -> Result<String, Breach> {
    if text.len() > TEXT {
        return Err(Breach::bad_return(format!("gave {what} of {} bytes; at most {TEXT} are taken", text.len())));
    }
    Ok(clean(text, DETAIL))
}

/// Checks the length of a list.
///
/// # Errors
/// A bad return past 16 entries.
pub(super) fn bounded(count: usize, what: &str) -> Result<(), Breach> {
    if count > LIST {
        return Err(Breach::bad_return(format!("gave {count} entries of {what}; at most {LIST} are taken")));
    }
    Ok(())
}

/// Checks a kebab-case name of at most 64 bytes.
///
/// # Errors
/// A bad return naming `what`.
pub(super) fn name(text: &str, what: &str) -> Result<(), Breach> {
    if is_kebab(text) {
        return Ok(());
    }
    Err(Breach::bad_return(format!("gave {what} that is no kebab-case name: {:?}", clean(text, NAME))))
}

/// True for `login-flow`: words of lower-case letters and digits joined by single hyphens, a letter first, at most 64 bytes.
#[must_use]
pub(super) fn is_kebab(text: &str) -> bool {
    text.len() <= NAME
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text
            .split('-')
            .all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()))
}

/// One line without terminal escapes and control characters (line ends and tabs become spaces), cut to `limit` bytes.
#[must_use]
pub(super) fn clean(text: &str, limit: usize) -> String {
    let mut line = strip(text, limit, |c| matches!(c, '\n' | '\r' | '\t').then_some(' '));
    line.truncate(line.trim_end().len());
    line
}

/// The same for a text of several lines: line ends and tabs stay.
#[must_use]
pub(super) fn clean_lines(text: &str, limit: usize) -> String {
    let mut lines = strip(text, limit, |c| matches!(c, '\n' | '\t').then_some(c));
    lines.truncate(lines.trim_end().len());
    lines
}

/// The same for every text of a JSON value, whose line ends and tabs stay. A value as `serde_json` reads
/// it is at most 128 levels deep.
#[must_use]
pub(super) fn clean_json(value: Value) -> Value {
    let text = |text: String| {
        let length = text.len();
        strip(&text, length, |c| matches!(c, '\n' | '\t').then_some(c))
    };
    match value {
        Value::String(inner) => Value::String(text(inner)),
        Value::Array(items) => items.into_iter().map(clean_json).collect(),
        Value::Object(members) => members.into_iter().map(|(name, value)| (text(name), clean_json(value))).collect(),
        other => other,
    }
}

/// Leaves out escapes and control characters, but for those that `space` has a place for.
fn strip(text: &str, limit: usize, space: impl Fn(char) -> Option<char>) -> String {
    let mut out = String::with_capacity(text.len().min(limit));
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            skip_escape(&mut rest);
            continue;
        }
        let kept = if c.is_control() || is_invisible(c) { space(c) } else { Some(c) };
        let Some(kept) = kept else { continue };
        if out.len() + kept.len_utf8() > limit {
            break;
        }
        out.push(kept);
    }
    out
}

/// Marks that reorder or hide text on a terminal or in a chat.
const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Leaves out the rest of an escape sequence: CSI up to its final byte, OSC and its kin up to BEL or ST.
fn skip_escape(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match rest.next() {
        Some('[') => {
            for c in rest.by_ref() {
                if ('\u{40}'..='\u{7e}').contains(&c) {
                    break;
                }
            }
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            while let Some(c) = rest.next() {
                if c == '\u{7}' {
                    break;
                }
                if c == '\u{1b}' {
                    rest.next_if_eq(&'\\');
                    break;
                }
            }
        }
        _ => {}
    }
}
