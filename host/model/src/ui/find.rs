//! Finding an element by words, as a person would name it: each candidate scored, best first, always in the same order.

use super::text::{matches, normalize};
use super::{Element, Match, Tree, interactable};

/// Scores within this of each other do not tell two elements apart.
const APART: f64 = 0.15;

/// What takes a tap is worked out for this many: finding it is a walk through the tree, and nobody looks at more.
const AIMED: usize = 64;

/// What of an element a query met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// Its text.
    Text,
    /// Its content description.
    Description,
    /// Its resource id, in full, bare, or read as words (`sign_in` for "sign in").
    ResourceId,
    /// The hint of an empty field.
    Hint,
    /// Its role or class: says what kind of thing it is, not which one.
    Class,
}

impl Met {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Description => "content description",
            Self::ResourceId => "resource id",
            Self::Hint => "hint",
            Self::Class => "class",
        }
    }

    /// How far a whole match of this is to be trusted.
    const fn weight(self) -> f64 {
        match self {
            Self::Text => 1.0,
            Self::Description => 0.98,
            Self::ResourceId => 0.95,
            Self::Hint => 0.85,
            Self::Class => 0.6,
        }
    }
}

/// How much of a value a query was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// Its beginning.
    Beginning,
    /// Whole words of it.
    Words,
    /// A part of a word.
    Part,
}

impl Extent {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Whole => "equals the query",
            Self::Beginning => "begins with the query",
            Self::Words => "holds the words of the query",
            Self::Part => "holds the query",
        }
    }
}

/// One element that answers to a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Position in the tree.
    pub index: u32,
    /// 0–1.
    pub score: f64,
    /// By what.
    pub met: Met,
    /// By how much of it.
    pub extent: Extent,
    /// What would take a tap meant for it, where something would.
    pub target: Option<Match>,
}

/// All elements that answer to a query, best first; of equals the one that itself takes a tap, then the earlier one.
///
/// `exact` takes whole texts, descriptions, ids and hints only. What cannot be seen counts half: it may be the one meant,
/// but nothing can be done to it before it is scrolled to.
#[must_use]
pub fn find_by_words(tree: &Tree, query: &str, exact: bool) -> Vec<Candidate> {
    let wanted = normalize(query);
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<Candidate> = (0u32..)
        .zip(&tree.elements)
        .filter_map(|(index, element)| {
            let (met, extent, score) = best(element, &wanted, exact)?;
            let seen = if element.traits.visible { 1.0 } else { 0.5 };
            Some(Candidate { index, score: round(score * seen), met, extent, target: None })
        })
        .collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
    let foremost = found.len().min(AIMED);
    for candidate in &mut found[..foremost] {
        candidate.target = interactable(tree, candidate.index).ok();
    }
    found[..foremost]
        .sort_by(|a, b| b.score.total_cmp(&a.score).then(reach(a).cmp(&reach(b))).then(a.index.cmp(&b.index)));
    found
}

/// How sure the best of `found` is the one meant, 0–1: its own score, halved where another one scores the same and
/// takes its tap elsewhere, and less than that the farther the next one is behind.
#[must_use]
pub fn confidence(found: &[Candidate]) -> f64 {
    let Some((best, others)) = found.split_first() else { return 0.0 };
    // A label and the row that takes its tap are one thing to whoever taps.
    let rival = others.iter().find(|other| other.target.is_none() || target_of(other) != target_of(best));
    let margin = rival.map_or(1.0, |rival| ((best.score - rival.score) / APART).clamp(0.0, 1.0));
    round(best.score * (0.5 + margin / 2.0))
}

/// Itself takes the tap, something around it does, nothing does.
fn reach(candidate: &Candidate) -> u8 {
    match candidate.target {
        Some(target) if target.target == candidate.index => 0,
        Some(_) => 1,
        None => 2,
    }
}

fn target_of(candidate: &Candidate) -> Option<u32> {
    candidate.target.map(|target| target.target)
}

/// Two decimals: more would promise what a guess cannot keep.
fn round(score: f64) -> f64 {
    (score * 100.0).round() / 100.0
}

/// The member that meets the query best.
fn best(element: &Element, wanted: &str, exact: bool) -> Option<(Met, Extent, f64)> {
    let words = element.bare_id().map(as_words);
    let members = [
        (Met::Text, element.text.as_deref()),
        (Met::Description, element.description.as_deref()),
        (Met::ResourceId, element.resource_id.as_deref()),
        (Met::ResourceId, element.bare_id()),
        (Met::ResourceId, words.as_deref()),
        (Met::Hint, element.hint.as_deref()),
        (Met::Class, element.role.filter(|_| !exact)),
        (Met::Class, Some(element.class.rsplit('.').next().unwrap_or_default()).filter(|_| !exact)),
    ];
    let mut best: Option<(Met, Extent, f64)> = None;
    for (met, value) in members {
        let Some((extent, share)) = value.and_then(|value| extent(value, wanted)) else { continue };
        // A part of a class name names nothing: "Text" is in every TextView.
        if extent != Extent::Whole && (exact || met == Met::Class) {
            continue;
        }
        let score = met.weight() * share;
        if best.is_none_or(|(.., known)| score > known) {
            best = Some((met, extent, score));
        }
    }
    best
}

/// How much of `value` the query is, and what share of a whole match that is worth: the more of it, the more.
fn extent(value: &str, wanted: &str) -> Option<(Extent, f64)> {
    if matches(value, wanted, false) {
        return Some((Extent::Whole, 1.0));
    }
    let value = normalize(value);
    #[expect(clippy::cast_precision_loss, reason = "lengths of texts of a screen")]
    let cover = wanted.chars().count() as f64 / value.chars().count().max(1) as f64;
    let (extent, least, most) = if let Some(rest) = value.strip_prefix(wanted) {
        let whole_word = rest.chars().next().is_none_or(|next| !next.is_alphanumeric());
        if whole_word { (Extent::Beginning, 0.7, 0.9) } else { (Extent::Part, 0.4, 0.6) }
    } else if has_words(&value, wanted) {
        (Extent::Words, 0.6, 0.85)
    } else if value.contains(wanted) {
        (Extent::Part, 0.4, 0.6)
    } else {
        return None;
    };
    Some((extent, least + (most - least) * cover.min(1.0)))
}

/// Every word of the query is a word of the value, in whatever order.
fn has_words(value: &str, wanted: &str) -> bool {
    let split = |text: &str| -> Vec<String> {
        text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (have, want) = (split(value), split(wanted));
    !want.is_empty() && want.iter().all(|word| have.contains(word))
}

/// `sign in button` of `signInButton`, `sign_in_button` and `sign-in.button`.
fn as_words(id: &str) -> String {
    let mut words = String::with_capacity(id.len() + 4);
    let mut before_lower = false;
    for sign in id.chars() {
        if matches!(sign, '_' | '-' | '.' | '/' | ':') {
            words.push(' ');
        } else {
            if sign.is_uppercase() && before_lower {
                words.push(' ');
            }
            words.push(sign);
        }
        before_lower = sign.is_lowercase();
    }
    words
}
