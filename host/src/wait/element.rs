//! Waiting for an element: exists, not_exists, visible, clickable.

use std::sync::Arc;
use std::time::Duration;

use handset_model::snapshot::Observation;
use handset_model::ui::{Selector, interactable, resolve_target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Pace, Reads};
use crate::device::Screens;

/// What is waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// Some element matches.
    #[default]
    Exists,
    /// No element matches.
    NotExists,
    /// A match has something of it on the display.
    Visible,
    /// A match can take a tap.
    Clickable,
}

impl Condition {
    /// The condition named so in a guest's call.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "exists" => Some(Self::Exists),
            "not_exists" => Some(Self::NotExists),
            "visible" => Some(Self::Visible),
            "clickable" => Some(Self::Clickable),
            _ => None,
        }
    }
}

/// Which element.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// By selector.
    Selector(Selector),
    /// By a handle of this server.
    ElementId(String),
}

/// One wait.
#[derive(Clone, Debug)]
pub struct ElementWait {
    /// Which element.
    pub wanted: Wanted,
    /// What of it.
    pub condition: Condition,
    /// Which of several matches; without it, any.
    pub index: Option<u32>,
    /// Consecutive satisfying reads needed.
    pub needed: u32,
}

/// What one read showed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Matches in this read.
    pub matched: u32,
    /// The condition holds in this read.
    pub holds: bool,
    /// Which of the matches was judged.
    pub selected: Option<u32>,
    /// Its position in the tree.
    pub element: Option<u32>,
}

/// How a wait ended.
#[derive(Clone, Debug, Default)]
pub struct ElementEnd {
    /// The condition held in as many consecutive reads as were needed.
    pub satisfied: bool,
    /// The last successful read and its verdict.
    pub last: Option<(Arc<Observation>, Verdict)>,
    /// The last read that matched anything, where a later one did not.
    pub last_match: Option<(Arc<Observation>, u32)>,
    /// Consecutive satisfying reads at the end.
    pub confirmed: u32,
}

impl ElementEnd {
    /// Takes one more read in: a read that does not satisfy ends the row of those that do.
    pub(super) fn take(&mut self, observation: Arc<Observation>, verdict: Verdict) {
        if let Some(element) = verdict.element {
            self.last_match = Some((Arc::clone(&observation), element));
        }
        self.confirmed = if verdict.holds { self.confirmed + 1 } else { 0 };
        self.last = Some((observation, verdict));
    }
}

impl ElementWait {
    /// What one observation says about this wait.
    #[must_use]
    pub fn judge(&self, screens: &Screens, observation: &Observation) -> Verdict {
        let tree = &observation.tree;
        let matches = match &self.wanted {
            Wanted::Selector(selector) => selector.find(tree),
            Wanted::ElementId(id) => screens.locate(id, observation).into_iter().collect(),
        };
        let matched = u32::try_from(matches.len()).unwrap_or(u32::MAX);
        let holds = |position: usize, element: u32| match self.condition {
            Condition::Exists => true,
            Condition::NotExists => false,
            Condition::Visible => tree.get(element).is_some_and(|element| element.traits.visible),
            Condition::Clickable => match &self.wanted {
                Wanted::Selector(selector) => resolve_target(tree, selector, u32::try_from(position).ok()).is_ok(),
                Wanted::ElementId(_) => interactable(tree, element).is_ok(),
            },
        };
        if self.condition == Condition::NotExists {
            let gone = match self.index {
                Some(index) => matches.len() <= index as usize,
                None => matches.is_empty(),
            };
            return Verdict { matched, holds: gone, selected: None, element: matches.first().copied() };
        }
        let candidates: Vec<(usize, u32)> = matches
            .iter()
            .copied()
            .enumerate()
            .filter(|(position, _)| self.index.is_none_or(|index| index as usize == *position))
            .collect();
        let chosen = candidates.iter().find(|(position, element)| holds(*position, *element));
        let shown = chosen.or(candidates.first());
        Verdict {
            matched,
            holds: chosen.is_some(),
            selected: shown.and_then(|(position, _)| u32::try_from(*position).ok()),
            element: shown.map(|(_, element)| *element),
        }
    }

    /// The pace of a confirming read: at once, but absence is confirmed after a gap (contract §8).
    fn confirming(&self) -> Pace {
        match self.condition {
            Condition::NotExists => Pace::Gap(Duration::from_millis(100)),
            _ => Pace::AtOnce,
        }
    }
}

/// Reads until the condition held in enough consecutive reads, or the series ended.
pub async fn wait_for_element(reads: &mut Reads<'_>, screens: &Screens, wait: &ElementWait) -> ElementEnd {
    let mut end = ElementEnd::default();
    loop {
        let pace = if end.confirmed > 0 { wait.confirming() } else { Pace::Interval };
        let Some(observation) = reads.next(pace).await else { return end };
        let verdict = wait.judge(screens, &observation);
        end.take(observation, verdict);
        if end.confirmed >= wait.needed {
            end.satisfied = true;
            return end;
        }
    }
}
