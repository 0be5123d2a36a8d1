//! Conveniences over observations and evidence.

use crate::Selector;
use crate::bindings::step::handset::plugin::ui::{
    ElementAt, Evidence, Observation, Timeline, Violation,
};
use serde_json::Value;

/// What is wrong with the arguments: the member's path (`assertion.selector`) and why.
#[must_use]
pub fn violation(path: impl Into<String>, message: impl Into<String>) -> Violation {
    Violation {
        path: path.into(),
        message: message.into(),
    }
}

impl Evidence {
    /// A firm sign, by its stable kebab-case name.
    #[must_use]
    pub fn firm(signal: impl Into<String>) -> Self {
        Self {
            signal: signal.into(),
            at: None,
            heuristic: false,
            detail: None,
        }
    }

    /// A guess, by its stable kebab-case name.
    #[must_use]
    pub fn guess(signal: impl Into<String>) -> Self {
        Self {
            heuristic: true,
            ..Self::firm(signal)
        }
    }

    /// Points at an element of an observation the plugin was lent.
    #[must_use]
    pub fn at(mut self, screen: &Observation, index: u32) -> Self {
        self.at = Some(ElementAt {
            revision: screen.info().revision,
            index,
        });
        self
    }

    /// Says more, for a reader.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }
}

impl Observation {
    /// The elements a selector means, invisible ones included.
    ///
    /// # Errors
    /// What the host finds wrong with the selector.
    pub fn select(&self, selector: &Selector) -> Result<Vec<u32>, String> {
        self.find(&selector.to_json())
    }

    /// Everything the host knows of an element.
    #[must_use]
    pub fn facts_of(&self, index: u32) -> Value {
        parse(self.element_json(index))
    }

    /// Facts about the whole tree.
    #[must_use]
    pub fn tree_facts(&self) -> Value {
        parse(Some(self.facts()))
    }

    /// Whether any of the element lies on the screen.
    #[must_use]
    pub fn is_visible(&self, index: u32) -> bool {
        self.element(index)
            .is_some_and(|element| element.traits.contains(crate::Traits::VISIBLE))
    }
}

impl Timeline {
    /// The last two observations, older first; absent with fewer.
    #[must_use]
    pub fn last_two(&self) -> Option<(Observation, Observation)> {
        let newest = self.count().checked_sub(1)?;
        Some((
            self.observation(newest.checked_sub(1)?)?,
            self.observation(newest)?,
        ))
    }

    /// A probe's facts, absent when the host did not probe.
    #[must_use]
    pub fn probed(&self, name: &str) -> Option<Value> {
        serde_json::from_str(&self.probe(name)?).ok()
    }
}

fn parse(json: Option<String>) -> Value {
    json.and_then(|json| serde_json::from_str(&json).ok())
        .unwrap_or(Value::Null)
}
