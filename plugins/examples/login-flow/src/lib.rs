//! A step of one's own: signs in to the sample login app and says how it was greeted.

use handset_plugin::{Condition, Failure, Report, Selector, Session, Step, Wait, export_steps};

/// The arguments of `login-flow/sign-in`.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct SignIn {
    /// The user's name.
    user: String,
    /// Typed as it is; never logged.
    password: String,
}

impl Step for SignIn {
    const NAME: &str = "sign-in";
    const SUMMARY: &str = "Signs in to the sample login app and reports its greeting.";
    const GRANTS: &[&str] = &["observe", "input:tap_element", "input:type_text"];

    fn run(self, session: &Session) -> Result<Report, Failure> {
        let id = |name: &str| Selector::resource_id(format!("com.example.login:id/{name}"));

        session.tap(&id("username"))?;
        session.type_text(&self.user)?;
        session.tap(&id("password"))?;
        session.type_text(&self.password)?;
        let tapped = session.tap(&id("sign_in"))?;

        session.progress("waiting for the welcome screen");
        let welcome = Selector::containing("Welcome,");
        let found = session.wait_for(&welcome, Condition::Visible, Wait::for_ms(10_000))?;
        let greeting = found.element.and_then(|at| found.screen.element(at)?.text);
        Ok(Report::passed()
            .body(&serde_json::json!({ "greeting": greeting }))
            .shows(&tapped))
    }
}

export_steps!(SignIn);
