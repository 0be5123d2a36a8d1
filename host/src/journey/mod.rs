//! Ordered steps on one device: all validated before any device work, run until the first failure.
//!
//! Every step type is a component's; this room knows order, evidence and shape, not what a step does.

mod plan;
mod run;

pub use plan::{Defaults, Plan, Step, plan};
pub use run::{Journal, Stage, StepRecord, run};
