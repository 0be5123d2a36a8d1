//! What a guest says, checked before anyone sees it: evidence must point into a lent observation, lists
//! and texts are bounded, control characters and terminal escapes are stripped.

use std::collections::BTreeMap;

use handset_model::snapshot::Observation;

use super::bindings::pure::handset::plugin::ui::Evidence;
use super::faults::Breach;
use super::limits::{DETAIL, LIST, NAME};
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
    let detail = match evidence.detail {
        None => None,
        Some(detail) if detail.len() > DETAIL => {
            return Err(Breach::bad_return(format!("gave a detail of {} bytes; at most {DETAIL} are taken", detail.len())));
        }
        Some(detail) => Some(clean(&detail, DETAIL)),
    };
    Ok(EvidenceNote { signal: evidence.signal, at, heuristic: evidence.heuristic, detail })
}

/// Checks a list of short texts, such as limitations.
///
/// # Errors
/// A bad return when there are too many or one is too long.
pub(super) fn texts(list: Vec<String>, what: &str) -> Result<Vec<String>, Breach> {
    bounded(list.len(), what)?;
    list.into_iter()
        .map(|text| {
            if text.len() > DETAIL {
                return Err(Breach::bad_return(format!("gave {what} of {} bytes; at most {DETAIL} are taken", text.len())));
            }
            Ok(clean(&text, DETAIL))
        })
        .collect()
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
        && text.split('-').all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()))
}

/// A text without terminal escapes and control characters (line ends and tabs become spaces), cut to `limit` bytes.
#[must_use]
pub(super) fn clean(text: &str, limit: usize) -> String {
    let mut out = String::with_capacity(text.len().min(limit));
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let kept = match c {
            '\u{1b}' => {
                skip_escape(&mut rest);
                continue;
            }
            '\n' | '\r' | '\t' => ' ',
            c if c.is_control() || is_invisible(c) => continue,
            c => c,
        };
        if out.len() + kept.len_utf8() > limit {
            break;
        }
        out.push(kept);
    }
    out.truncate(out.trim_end().len());
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
            while let Some(c) = rest.next() {
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
