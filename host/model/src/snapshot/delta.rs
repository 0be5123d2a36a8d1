//! What changed between two screens, by the identity of their elements.

use std::collections::HashMap;
use std::hash::Hash;

use serde_json::{Map, Value, json};

use super::Observation;
use super::record::Record;
use crate::ui::{ElementView, Tree, element_json};

/// Contract §7: a delta with more changes than this says only that much changed.
pub const MAX_DELTA_CHANGES: usize = 200;
/// Contract §1: with more node records than this on either side a delta is truncated.
pub const MAX_DELTA_NODES: usize = 500;

/// Added, removed or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// Only in the newer screen.
    Added,
    /// Only in the older screen.
    Removed,
    /// In both, with differing members.
    Changed,
}

/// One changed element.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// What happened.
    pub kind: ChangeKind,
    /// Position in the newer tree.
    pub now: Option<u32>,
    /// Position in the older tree.
    pub was: Option<u32>,
    /// Names of the members that differ.
    pub fields: Vec<&'static str>,
}

/// A bounded delta (contract §7).
#[derive(Clone, Debug, PartialEq)]
pub struct Delta {
    /// At most 200.
    pub changes: Vec<Change>,
    /// Some changes, or nodes past 500 on either side, are left out.
    pub truncated: bool,
    /// How many changes were left out.
    pub omitted: u32,
}

/// All changes from `earlier` to `later`, at most `limit`; the second value counts the rest.
///
/// First what changed, then what was added, each in the order of the later tree, then what was removed.
#[must_use]
pub fn changes(earlier: &Observation, later: &Observation, limit: usize) -> (Vec<Change>, usize) {
    let mut all = compare(&earlier.tree, &later.tree);
    let omitted = all.len().saturating_sub(limit);
    all.truncate(limit);
    (all, omitted)
}

/// The contract's delta, bounded; `base` `None` makes everything added.
#[must_use]
pub fn diff(base: Option<&Observation>, now: &Observation) -> Delta {
    let empty = Tree::default();
    let before = base.map_or(&empty, |base| &base.tree);
    let mut changes = compare(before, &now.tree);
    let omitted = changes.len().saturating_sub(MAX_DELTA_CHANGES);
    changes.truncate(MAX_DELTA_CHANGES);
    let large = before.elements.len() > MAX_DELTA_NODES || now.tree.elements.len() > MAX_DELTA_NODES;
    Delta { changes, truncated: omitted > 0 || large, omitted: u32::try_from(omitted).unwrap_or(u32::MAX) }
}

/// The contract's `state_delta` as JSON; `base` `None` gives `base_snapshot_revision: null` and everything as added.
///
/// Entries of `added` and `changed` are elements as a tree shows them, with their `index` in the new one.
#[must_use]
pub fn delta(base: Option<&Observation>, now: &Observation) -> Value {
    let delta = diff(base, now);
    let of = |kind: ChangeKind| delta.changes.iter().filter(move |change| change.kind == kind);
    let shown = |change: &Change| change.now.map(|index| with_index(&now.tree, index));
    let gone = |change: &Change| base.zip(change.was).map(|(base, index)| removed(&base.tree, index));
    let mut object = Map::new();
    object.insert("base_snapshot_revision".into(), json!(base.map(|base| base.revision)));
    object.insert("snapshot_revision".into(), json!(now.revision));
    object.insert("added".into(), of(ChangeKind::Added).filter_map(shown).collect());
    object.insert("removed".into(), of(ChangeKind::Removed).filter_map(gone).collect());
    object.insert("changed".into(), of(ChangeKind::Changed).filter_map(shown).collect());
    object.insert("truncated".into(), json!(delta.truncated));
    if delta.omitted > 0 {
        object.insert("omitted_changes".into(), json!(delta.omitted));
    }
    Value::Object(object)
}

fn with_index(tree: &Tree, index: u32) -> Value {
    let mut value = element_json(tree, index, ElementView::Tree, None);
    if let Value::Object(object) = &mut value {
        object.insert("index".into(), json!(index));
    }
    value
}

/// Just enough to find it in the older tree.
fn removed(tree: &Tree, index: u32) -> Value {
    let mut object = Map::new();
    if let Some(element) = tree.get(index) {
        let members = [
            ("stable_id", &element.stable_id),
            ("resourceId", &element.resource_id),
            ("contentDescription", &element.description),
            ("text", &element.text),
        ];
        for (name, value) in members {
            if let Some(value) = value {
                object.insert(name.into(), json!(value));
            }
        }
    }
    object.insert("index".into(), json!(index));
    Value::Object(object)
}

/// Pairs the elements of two trees, strongest evidence first, and says what differs.
pub(super) fn compare(before: &Tree, after: &Tree) -> Vec<Change> {
    // Where the trees begin alike, equal elements stand at equal places; most of a screen costs no more than that.
    let alike = before.elements.iter().zip(&after.elements).take_while(|(before, after)| before == after).count();
    let rest = |tree: &Tree| -> Vec<Record> { tree.elements.iter().skip(alike).map(Record::of).collect() };
    let (old, new) = (rest(before), rest(after));
    let mut pairing = Pairing { old: &old, new: &new, partner: vec![None; new.len()], taken: vec![false; old.len()] };
    // An untouched duplicate must not be paired with a changed one, so equal records go first.
    pairing.pair(Some);
    pairing.pair(Record::stable_id);
    // A stable id comes and goes with the uniqueness of its parts; what an element says stays.
    pairing.pair(|record| Some(record.described()));
    pairing.into_changes(alike)
}

struct Pairing<'r> {
    old: &'r [Record],
    new: &'r [Record],
    /// For each new record its old one.
    partner: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl<'r> Pairing<'r> {
    /// Pairs what is left, by a key, in document order.
    fn pair<K: Hash + Eq>(&mut self, key: impl Fn(&'r Record) -> Option<K>) {
        let mut waiting: HashMap<K, Vec<usize>> = HashMap::new();
        for (index, record) in self.old.iter().enumerate().rev().filter(|(index, _)| !self.taken[*index]) {
            if let Some(key) = key(record) {
                waiting.entry(key).or_default().push(index);
            }
        }
        for (index, record) in self.new.iter().enumerate() {
            if self.partner[index].is_none()
                && let Some(key) = key(record)
                && let Some(old) = waiting.get_mut(&key).and_then(Vec::pop)
            {
                self.partner[index] = Some(old);
                self.taken[old] = true;
            }
        }
    }

    /// `alike` elements stand before those compared.
    fn into_changes(self, alike: usize) -> Vec<Change> {
        let position = |index: usize| u32::try_from(alike + index).ok();
        let mut changed = Vec::new();
        let mut added = Vec::new();
        for (index, (record, partner)) in self.new.iter().zip(&self.partner).enumerate() {
            let now = position(index);
            match partner {
                Some(old) if self.old[*old] == *record => {}
                Some(old) => {
                    let fields = self.old[*old].differences(record);
                    changed.push(Change { kind: ChangeKind::Changed, now, was: position(*old), fields });
                }
                None => added.push(Change { kind: ChangeKind::Added, now, was: None, fields: Vec::new() }),
            }
        }
        let gone = self.taken.iter().enumerate().filter(|(_, taken)| !**taken);
        let removed = gone.map(|(index, _)| Change {
            kind: ChangeKind::Removed,
            now: None,
            was: position(index),
            fields: Vec::new(),
        });
        changed.into_iter().chain(added).chain(removed).collect()
    }
}
