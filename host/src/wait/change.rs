//! Waiting until something of a screen is different, and stays so.

use std::sync::Arc;
use std::time::Duration;

use handset_model::snapshot::{Change, ChangeKind, Observation, changes};
use handset_model::ui::{Selector, Tree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Pace, ReadinessReport, Reads, assess};
use crate::plugin::{Plugins, ReadinessState};

/// What kind of change is waited for (shapes of upstream).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeType {
    /// Elements came, went or moved.
    HierarchyDiff,
    /// A text, description or password's content.
    TextChange,
    /// Checked, selected, focused, expanded, enabled, or a value.
    StateChange,
}

/// One wait for a change against the first read.
#[derive(Clone, Debug)]
pub struct ChangeWait {
    /// Which kind; without it, any.
    pub expected: Option<ChangeType>,
    /// Only inside the matches of this.
    pub within: Option<Selector>,
    /// How long it must have stayed as it then is.
    pub window: Duration,
}

/// What differs from the first read, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeSummary {
    added: u32,
    removed: u32,
    changed: u32,
    texts: u32,
    states: u32,
    others: u32,
}

impl ChangeSummary {
    fn of(within: Option<&Selector>, before: &Observation, now: &Observation) -> Self {
        let (all, _) = changes(before, now, usize::MAX);
        let inside = |tree: &Tree| within.map(|selector| inside(selector, tree));
        let (was, is) = (inside(&before.tree), inside(&now.tree));
        let holds = |marks: &Option<Vec<bool>>, index: Option<u32>| match (marks, index) {
            (None, _) => true,
            (Some(marks), Some(index)) => marks.get(index as usize) == Some(&true),
            (Some(_), None) => false,
        };
        let mut summary = Self::default();
        for change in all.iter().filter(|change| holds(&is, change.now) || holds(&was, change.was)) {
            summary.count(change);
        }
        summary
    }

    fn count(&mut self, change: &Change) {
        match change.kind {
            ChangeKind::Added => self.added += 1,
            ChangeKind::Removed => self.removed += 1,
            ChangeKind::Changed => {
                self.changed += 1;
                let any = |names: &[&str]| change.fields.iter().any(|field| names.contains(field));
                self.texts += u32::from(any(TEXTS));
                self.states += u32::from(any(STATES));
                self.others += u32::from(any(LAYOUT));
            }
        }
    }

    /// Nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added + self.removed + self.changed == 0
    }

    fn shows(&self, expected: Option<ChangeType>) -> bool {
        match expected {
            None => !self.is_empty(),
            Some(ChangeType::HierarchyDiff) => self.added + self.removed + self.others > 0,
            Some(ChangeType::TextChange) => self.texts > 0,
            Some(ChangeType::StateChange) => self.states > 0,
        }
    }

    /// The kind that tells most: what came and went, then texts, then states.
    #[must_use]
    pub fn kind(&self) -> Option<ChangeType> {
        let kinds = [
            (self.added + self.removed, ChangeType::HierarchyDiff),
            (self.texts, ChangeType::TextChange),
            (self.states, ChangeType::StateChange),
            (self.others, ChangeType::HierarchyDiff),
        ];
        kinds.into_iter().find(|(count, _)| *count > 0).map(|(_, kind)| kind)
    }

    /// `change_summary`: how many elements, and in what.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "added": self.added, "removed": self.removed, "changed": self.changed,
            "text_changes": self.texts, "state_changes": self.states,
        })
    }
}

const TEXTS: &[&str] = &["text", "contentDescription"];
const STATES: &[&str] = &["checked", "selected", "focused", "expanded", "enabled", "value", "value_range"];
const LAYOUT: &[&str] = &["bounds", "visible", "type", "role", "resourceId", "clickable"];

/// Which elements a selector matches, with all that is below them; parents come before their children.
fn inside(selector: &Selector, tree: &Tree) -> Vec<bool> {
    let mut marks = vec![false; tree.elements.len()];
    for index in selector.find(tree) {
        if let Some(mark) = marks.get_mut(index as usize) {
            *mark = true;
        }
    }
    for (index, element) in tree.elements.iter().enumerate() {
        let parent = element.parent.map(|parent| parent as usize).filter(|parent| *parent < index);
        if parent.and_then(|parent| marks.get(parent)) == Some(&true) {
            marks[index] = true;
        }
    }
    marks
}

/// How a wait for a change ended.
#[derive(Clone, Debug, Default)]
pub struct ChangeEnd {
    /// The change was there, and stayed.
    pub satisfied: bool,
    /// The last successful read.
    pub last: Option<Arc<Observation>>,
    /// What differed there from the first read.
    pub summary: ChangeSummary,
    /// The change was there in the last read, whether or not it had stayed.
    pub changed: bool,
    /// The target of a subtree was there in the first or the last read.
    pub target_seen: bool,
    /// Where asked for.
    pub readiness: Option<ReadinessReport>,
}

/// Reads until something differs from the first read and stays as it is for the window. With `plugins` it must also be
/// settled, judged by the same samples.
pub async fn wait_for_change(reads: &mut Reads<'_>, plugins: Option<&Plugins>, wait: &ChangeWait) -> ChangeEnd {
    let mut end = ChangeEnd::default();
    let Some(base) = reads.next(Pace::Interval).await else { return end };
    let there = |seen: &Observation| wait.within.as_ref().is_none_or(|target| !target.find(&seen.tree).is_empty());
    let target_at_first = there(&base);
    end.target_seen = target_at_first;
    end.last = Some(Arc::clone(&base));
    // The first of the reads that show it as it now is.
    let mut since: Option<Arc<Observation>> = None;
    loop {
        let pace = if since.is_some() { Pace::Gap(wait.window) } else { Pace::Interval };
        let Some(now) = reads.next(pace).await else { return end };
        end.summary = ChangeSummary::of(wait.within.as_ref(), &base, &now);
        end.changed = end.summary.shows(wait.expected);
        end.target_seen = target_at_first || there(&now);
        end.last = Some(Arc::clone(&now));
        if !end.changed {
            since = None;
            continue;
        }
        let first = match since.take() {
            Some(first) if ChangeSummary::of(wait.within.as_ref(), &first, &now).is_empty() => first,
            _ => {
                since = Some(now);
                continue;
            }
        };
        let stayed = now.captured_ms - first.captured_ms + 0.5 >= wait.window.as_secs_f64() * 1000.0;
        since = Some(first);
        if !stayed {
            continue;
        }
        if let Some(plugins) = plugins {
            let report = assess(plugins, &reads.timeline, wait.window).await;
            let settled = report.state == ReadinessState::Settled;
            end.readiness = Some(report);
            if !settled {
                continue;
            }
        }
        end.satisfied = true;
        return end;
    }
}
