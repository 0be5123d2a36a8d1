//! `scroll_to_element`.

#![expect(dead_code, reason = "read to be checked, then handed on as they came")]

use crate::args::{Clamped, VerificationMode};
use crate::outcome::by_success;
use handset_plugin::{Failure, Report, Session, Step, Violation, code, violation};
use schemars::JsonSchema;
use serde::Deserialize;

/// The arguments of `scroll_to_element`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(description = "Several inputs: takes no guard.")]
pub struct ScrollToElement {
    selector: ScrollSelector,
    /// Down unless given.
    direction: Option<Direction>,
    /// 10 unless given.
    #[schemars(range(min = 1, max = 100))]
    max_scrolls: Option<u32>,
    /// Share of the container; 0.7 unless given.
    #[schemars(range(min = 0.1, max = 1.0))]
    scroll_amount: Option<f64>,
    verification_mode: Option<VerificationMode>,
    action_timeout_ms: Option<Clamped>,
    verification_timeout_ms: Option<Clamped>,
}

/// What is scrolled to; all that are given must hold.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ScrollSelector {
    text: Option<String>,
    resource_id: Option<String>,
    content_desc: Option<String>,
    class_name: Option<String>,
}

/// Which part of the content comes into view.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Down,
    Up,
}

impl Step for ScrollToElement {
    const NAME: &str = "scroll_to_element";
    const SUMMARY: &str = "Scrolls until an element can be seen; passes when it can.";
    const GRANTS: &[&str] = &["input:scroll_to_element"];

    fn validate(&self) -> Vec<Violation> {
        let selector = &self.selector;
        let given = [
            &selector.text,
            &selector.resource_id,
            &selector.content_desc,
            &selector.class_name,
        ];
        let empty = given
            .into_iter()
            .flatten()
            .all(|text| text.trim().is_empty());
        empty
            .then(|| {
                violation(
                    "selector",
                    "needs a non-empty text, resourceId, contentDesc or className",
                )
            })
            .into_iter()
            .collect()
    }

    fn run(self, session: &Session) -> Result<Report, Failure> {
        by_success(
            session,
            "scroll_to_element",
            session.arguments(),
            code::ELEMENT_NOT_FOUND,
        )
    }
}
