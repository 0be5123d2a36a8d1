//! A harmless step in a component whose function table is past the memory limit; see `build.rs`.

use handset_plugin::{Failure, Report, Session, Step, export_steps};

/// No arguments.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

impl Step for Nothing {
    const NAME: &str = "pass";
    const SUMMARY: &str = "Would pass, if its component could be instantiated.";
    const GRANTS: &[&str] = &[];

    fn run(self, _session: &Session) -> Result<Report, Failure> {
        Ok(Report::passed())
    }
}

export_steps!(Nothing);
