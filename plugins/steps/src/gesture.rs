//! `press_back`, `swipe`, `scroll_to_element`.

#![expect(dead_code, reason = "read to be checked, then handed on as they came")]

use crate::args::{Clamped, ExpectedState, Precondition, VerificationMode};
use crate::outcome::by_success;
use handset_plugin::{Failure, Report, Session, Step, Violation, code, violation};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Number;

/// The arguments of `press_back`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(description = "")]
pub struct PressBack {
    verification_mode: Option<VerificationMode>,
    action_timeout_ms: Option<Clamped>,
    verification_timeout_ms: Option<Clamped>,
    expected_state: Option<ExpectedState>,
    precondition: Option<Precondition>,
}

impl Step for PressBack {
    const NAME: &str = "press_back";
    const SUMMARY: &str = "Presses Back; passes when it was dispatched.";
    const GRANTS: &[&str] = &["input:press_back"];

    fn validate(&self) -> Vec<Violation> {
        let mut found: Vec<_> = self
            .expected_state
            .iter()
            .flat_map(ExpectedState::violations)
            .collect();
        found.extend(self.precondition.iter().flat_map(Precondition::violations));
        found
    }

    fn run(self, session: &Session) -> Result<Report, Failure> {
        by_success(
            session,
            "press_back",
            session.arguments(),
            code::ACTION_REJECTED,
        )
    }
}

/// Which space coordinates are in.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    Device,
    Screenshot,
    Normalized,
}

/// The arguments of `swipe`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(description = "From one point to another.")]
pub struct Swipe {
    #[schemars(with = "f64")]
    x1: Number,
    #[schemars(with = "f64")]
    y1: Number,
    #[schemars(with = "f64")]
    x2: Number,
    #[schemars(with = "f64")]
    y2: Number,
    /// Milliseconds; 300 unless given.
    #[schemars(range(min = 1, max = 10_000))]
    duration: Option<u32>,
    /// The coordinates' space; device unless given.
    space: Option<Space>,
    /// Which screenshot, with space screenshot.
    screenshot_id: Option<String>,
    verification_mode: Option<VerificationMode>,
    action_timeout_ms: Option<Clamped>,
    verification_timeout_ms: Option<Clamped>,
    expected_state: Option<ExpectedState>,
    precondition: Option<Precondition>,
}

impl Step for Swipe {
    const NAME: &str = "swipe";
    const SUMMARY: &str = "Swipes from one point to another; passes when it was dispatched.";
    const GRANTS: &[&str] = &["input:swipe"];

    fn validate(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        let space = self.space.unwrap_or(Space::Device);
        for (name, number) in [
            ("x1", &self.x1),
            ("y1", &self.y1),
            ("x2", &self.x2),
            ("y2", &self.y2),
        ] {
            let value = number.as_f64().unwrap_or(f64::NAN);
            let wrong = match space {
                Space::Normalized if !(0.0..=1.0).contains(&value) => "must be 0 to 1",
                Space::Device | Space::Screenshot if value.fract() != 0.0 => {
                    "must be a whole number in this space"
                }
                _ => continue,
            };
            found.push(violation(name, wrong));
        }
        match (space, &self.screenshot_id) {
            (Space::Screenshot, None) => {
                found.push(violation("screenshotId", "needed with space screenshot"));
            }
            (Space::Device | Space::Normalized, Some(_)) => {
                found.push(violation("screenshotId", "only with space screenshot"));
            }
            _ => {}
        }
        found.extend(
            self.expected_state
                .iter()
                .flat_map(ExpectedState::violations),
        );
        found.extend(self.precondition.iter().flat_map(Precondition::violations));
        found
    }

    fn run(self, session: &Session) -> Result<Report, Failure> {
        by_success(session, "swipe", session.arguments(), code::ACTION_REJECTED)
    }
}

/// What `scroll_to_element` looks for; its names are that tool's own.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ScrollSelector {
    text: Option<String>,
    resource_id: Option<String>,
    content_desc: Option<String>,
    class_name: Option<String>,
}

/// Which way the content moves into view.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Down,
    Up,
}

/// The arguments of `scroll_to_element`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(description = "")]
pub struct ScrollToElement {
    selector: ScrollSelector,
    /// Down unless given.
    direction: Option<Direction>,
    /// 10 unless given.
    #[schemars(range(min = 1, max = 100))]
    max_scrolls: Option<u32>,
    /// Part of the screen per scroll; 0.7 unless given.
    #[schemars(range(min = 0.1, max = 1.0))]
    scroll_amount: Option<f64>,
    verification_mode: Option<VerificationMode>,
    action_timeout_ms: Option<Clamped>,
    verification_timeout_ms: Option<Clamped>,
}

impl Step for ScrollToElement {
    const NAME: &str = "scroll_to_element";
    const SUMMARY: &str = "Scrolls until an element shows; passes when it does.";
    const GRANTS: &[&str] = &["input:scroll_to_element"];

    fn validate(&self) -> Vec<Violation> {
        let named = [
            &self.selector.text,
            &self.selector.resource_id,
            &self.selector.content_desc,
            &self.selector.class_name,
        ];
        if named
            .into_iter()
            .flatten()
            .any(|text| !text.trim().is_empty())
        {
            return Vec::new();
        }
        vec![violation(
            "selector",
            "needs a non-empty text, resourceId, contentDesc or className",
        )]
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
