//! Never comes back from saying which steps it has.

use handset_plugin::bindings::step as world;
use handset_plugin::{Failure, Look, Report, Violation};
use world::exports::handset::plugin::step::{Guest, StepInfo};
use world::handset::plugin::device::Session;

struct Hangs;

impl Guest for Hangs {
    fn steps() -> Vec<StepInfo> {
        loop {
            std::hint::spin_loop();
        }
    }

    fn validate(_: String, _: String) -> Vec<Violation> {
        Vec::new()
    }

    fn first_look(_: String, _: String) -> Option<Look> {
        None
    }

    fn run(_: String, _: String, _: &Session) -> Result<Report, Failure> {
        Ok(Report::passed())
    }
}

world::export_step_world!(Hangs with_types_in world);
