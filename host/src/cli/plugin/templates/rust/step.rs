//! @NAME@: a journey step. It works on one device through its session; waiting is the host's work.

use handset_plugin::{Condition, Failure, Report, Selector, Session, Step, Wait, export_steps};

/// The arguments of `@NAME@/tap-and-wait`.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct TapAndWait {
    /// Text of the element to tap.
    #[schemars(length(min = 1))]
    tap: String,
    /// Part of a text that shows afterwards.
    #[schemars(length(min = 1))]
    then: String,
}

impl Step for TapAndWait {
    const NAME: &str = "tap-and-wait";
    const SUMMARY: &str = "Taps an element by its text and waits for another text.";
    const GRANTS: &[&str] = &["observe", "input:tap_element"];

    fn run(self, session: &Session) -> Result<Report, Failure> {
        let tapped = session.tap(&Selector::text(&self.tap))?;
        session.progress(&format!("waiting for {}", self.then));
        let found = session.wait_for(&Selector::containing(&self.then), Condition::Visible, Wait::for_ms(10_000))?;
        let text = found.element.and_then(|at| found.screen.element(at)?.text);
        Ok(Report::passed().body(&serde_json::json!({ "found": text })).shows(&tapped))
    }
}

export_steps!(TapAndWait);
