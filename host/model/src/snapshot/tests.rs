//! What only the records can show: base plus delta is the new screen.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::HashMap;

use proptest::prelude::*;

use super::delta::{ChangeKind, compare};
use super::identity::identity;
use super::record::Record;
use crate::ui::{ParseOptions, Tree, parse_hierarchy};

/// Screens of few words, so that duplicates and lookalikes are common.
fn screens() -> impl Strategy<Value = Tree> {
    let one = (0u8..3, 0u8..4, 0u8..4, 0u8..3, 0i32..3, any::<bool>());
    prop::collection::vec(one, 0..14).prop_map(|elements| {
        let nodes: String = (elements.into_iter())
            .map(|(class, id, text, description, place, checked)| {
                let id = if id == 0 { String::new() } else { format!("id{id}") };
                format!(
                    "<node class=\"c.C{class}\" resource-id=\"{id}\" text=\"{}\" content-desc=\"{}\" checked=\"{checked}\" clickable=\"true\" \
                     bounds=\"[{place},0][9,9]\" />",
                    ["", "a", "b", " A "][usize::from(text)],
                    ["", "x", "y"][usize::from(description)],
                )
            })
            .collect();
        let dump = format!("<hierarchy><node bounds=\"[0,0][90,90]\">{nodes}</node></hierarchy>");
        parse_hierarchy(dump.as_bytes(), &ParseOptions::default()).unwrap()
    })
}

/// How often each record occurs.
fn count<'r>(records: impl IntoIterator<Item = &'r Record>) -> HashMap<Record, usize> {
    let mut counts = HashMap::new();
    for record in records {
        *counts.entry(record.clone()).or_default() += 1;
    }
    counts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn base_plus_delta_is_the_new_screen(before in screens(), after in screens()) {
        let old: Vec<Record> = before.elements.iter().map(Record::of).collect();
        let new: Vec<Record> = after.elements.iter().map(Record::of).collect();
        let changes = compare(&before, &after);
        let mut result: Vec<Option<&Record>> = old.iter().map(Some).collect();
        let mut arrived = Vec::new();
        for change in &changes {
            if let Some(was) = change.was {
                prop_assert!(result[was as usize].take().is_some(), "one change for each element");
            }
            arrived.extend(change.now.map(|now| &new[now as usize]));
        }
        let applied = count(result.into_iter().flatten().chain(arrived));
        prop_assert_eq!(applied, count(&new));
    }

    #[test]
    fn a_delta_never_holds_an_unchanged_element(before in screens(), after in screens()) {
        for change in compare(&before, &after) {
            if let (ChangeKind::Changed, Some(was), Some(now)) = (change.kind, change.was, change.now) {
                let (was, now) = (Record::of(before.get(was).unwrap()), Record::of(after.get(now).unwrap()));
                prop_assert_ne!(&was, &now);
                prop_assert_eq!(change.fields, was.differences(&now));
            }
        }
        prop_assert_eq!(compare(&before, &before), vec![]);
    }

    #[test]
    fn identities_are_unique_in_their_tree(tree in screens()) {
        let all: Vec<String> = (0..tree.elements.len() as u32).map(|index| identity(&tree, index)).collect();
        prop_assert_eq!(all.iter().collect::<std::collections::HashSet<_>>().len(), all.len());
    }
}
