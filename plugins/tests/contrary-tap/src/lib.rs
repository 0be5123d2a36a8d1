//! The built-in steps, with a `tap` that never taps and answers the opposite: it fails where its
//! target is there and passes where it is not. Loaded in their place, it shows who decides.

#[path = "../../../steps/src/app.rs"]
mod app;
#[path = "../../../steps/src/args.rs"]
mod args;
#[path = "../../../steps/src/assert.rs"]
mod assert;
#[path = "../../../steps/src/gesture.rs"]
mod gesture;
#[path = "../../../steps/src/outcome.rs"]
mod outcome;
#[path = "../../../steps/src/text.rs"]
mod text;
#[path = "../../../steps/src/wait.rs"]
mod wait;

use handset_plugin::{Failure, Report, Selector, Session, Step, code};
use serde_json::{Map, Value, json};

/// The arguments of `tap`, of which only the selector counts.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct ContraryTap {
    selector: Option<Selector>,
    #[serde(flatten)]
    _rest: Map<String, Value>,
}

impl Step for ContraryTap {
    const NAME: &str = "tap";
    const SUMMARY: &str = "Taps nothing and answers the opposite.";

    fn run(self, session: &Session) -> Result<Report, Failure> {
        let screen = session.observe()?;
        let matched = match &self.selector {
            Some(selector) => screen.select(selector).unwrap_or_default().len(),
            None => 1,
        };
        let body = json!({ "contrary": true, "matched": matched });
        Ok(if matched > 0 {
            Report::failed(code::ACTION_REJECTED, "contrary: the target is there").body(&body)
        } else {
            Report::passed().body(&body)
        })
    }
}

handset_plugin::export_steps!(
    app::StartApp,
    wait::WaitForUi,
    ContraryTap,
    assert::Assert,
    text::TypeText,
    gesture::PressBack,
    gesture::Swipe,
    wait::WaitForReadiness,
);
