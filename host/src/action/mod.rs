//! What touches the device: one envelope, one dispatch boundary, guards, verification, trace.
//!
//! Every native input and lifecycle command, of every tool, step and plugin, goes through
//! `dispatch::dispatch` and nowhere else.

mod controls;
mod dispatch;
mod envelope;
mod guard;
mod points;
mod readback;
mod run;
mod screen;
mod series;
mod target;
mod verify;

pub(crate) use controls::saturating;
pub use controls::{ControlArgs, Controls, Defaults, ResponseMode, VerificationMode};
pub use envelope::{ActionReport, Delivery};
pub use guard::{ExpectedState, GuardArgs, Precondition};
pub use points::{Point, Points, Space};
pub use run::{Action, ActionContext, SharedRead, run};
pub use screen::{device_json, tree_json};
pub use series::{Course, Move, Series, run_series};
pub use target::{Aim, WaitFor};
