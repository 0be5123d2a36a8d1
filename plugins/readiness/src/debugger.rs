//! An app that a debugger holds.

use crate::anr::{is_active, of_process};
use handset_plugin::{Assessment, Classifier, Evidence, State, Timeline};

/// Asks whether the foreground process is being debugged, traced or stopped.
pub struct Debugger;

impl Classifier for Debugger {
    const NAME: &str = "debugger";
    const SUMMARY: &str =
        "Debugger-paused while the foreground process waits for a debugger, is traced or stopped.";
    const PROBES: &[&str] = &["debugger"];

    fn classify(samples: &Timeline) -> Result<Assessment, String> {
        Ok(match samples.probed("debugger") {
            None => Assessment::of(State::Unknown).unsupported("debugger_paused"),
            Some(record) if is_active(&record) => Assessment::of(State::DebuggerPaused)
                .evidence(Evidence::firm("debugger").detail(of_process(&record))),
            Some(_) => Assessment::of(State::Unknown),
        })
    }
}
