//! `element-visible`: something on the screen is what a selector means.

use handset_plugin::{Comparison, Evidence, Finding, Predicate, Selector, Violation};
use schemars::JsonSchema;
use serde::Deserialize;

pub(crate) const MOST_EVIDENCE: usize = 4;

/// The arguments of `element-visible`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = "The element that must be visible.")]
pub struct ElementVisible {
    selector: Selector,
}

impl Predicate for ElementVisible {
    const NAME: &str = "element-visible";
    const SUMMARY: &str = "Holds while at least one element the selector means is on the screen.";

    fn validate(&self) -> Vec<Violation> {
        self.selector.violations("selector")
    }

    fn check(self, screens: &Comparison) -> Result<Finding, String> {
        let screen = screens.current();
        let matched = match screen.select(&self.selector) {
            Ok(matched) => matched,
            Err(reason) => return Ok(Finding::cannot_tell(reason)),
        };
        let (visible, hidden): (Vec<u32>, Vec<u32>) =
            matched.iter().partition(|&&index| screen.is_visible(index));
        let (mut finding, signal, shown) = match (visible.is_empty(), hidden.len()) {
            (false, _) => (Finding::holds(), "visible-element", visible),
            (true, 0) => (Finding::fails("nothing matches the selector"), "", hidden),
            (true, count) => (
                Finding::fails(format!("{count} matched, none of them visible")),
                "hidden-element",
                hidden,
            ),
        };
        for index in shown.into_iter().take(MOST_EVIDENCE) {
            finding = finding.evidence(Evidence::firm(signal).at(&screen, index));
        }
        Ok(finding)
    }
}
