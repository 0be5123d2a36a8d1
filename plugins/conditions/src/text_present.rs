//! `text-present`: a text is on the screen, as a text or a description.

use crate::element_visible::MOST_EVIDENCE;
use handset_plugin::{Comparison, Evidence, Finding, Predicate, Selector, Violation, violation};
use schemars::JsonSchema;
use serde::Deserialize;

/// The arguments of `text-present`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = "The text that must be on the screen.")]
pub struct TextPresent {
    /// A whole text or description, ignoring case.
    #[schemars(length(min = 1))]
    text: String,
    /// Whether a part of a longer text is enough (false).
    contains: Option<bool>,
}

impl Predicate for TextPresent {
    const NAME: &str = "text-present";
    const SUMMARY: &str = "Holds while a visible element has the text or description.";

    fn validate(&self) -> Vec<Violation> {
        let empty = self.text.trim().is_empty();
        empty
            .then(|| violation("text", "must not be empty"))
            .into_iter()
            .collect()
    }

    fn check(self, screens: &Comparison) -> Result<Finding, String> {
        let screen = screens.current();
        let mut selectors = [
            Selector::text(&self.text),
            Selector::accessibility_id(&self.text),
        ];
        let mut matched = Vec::new();
        for selector in &mut selectors {
            selector.contains = self.contains;
            match screen.select(selector) {
                Ok(found) => matched.extend(found),
                Err(reason) => return Ok(Finding::cannot_tell(reason)),
            }
        }
        matched.sort_unstable();
        matched.dedup();
        let found = matched.len();
        matched.retain(|&index| screen.is_visible(index));
        let mut finding = match (matched.is_empty(), found) {
            (false, _) => Finding::holds(),
            (true, 0) => Finding::fails("the text is not on the screen"),
            (true, _) => Finding::fails("the text is there, but not visible"),
        };
        for index in matched.into_iter().take(MOST_EVIDENCE) {
            finding = finding.evidence(Evidence::firm("text-found").at(&screen, index));
        }
        Ok(finding)
    }
}
