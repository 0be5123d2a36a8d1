//! Building an app from its project: what builds it, the build itself, what came of it.

mod found;
mod log;
mod project;
mod run;

pub(super) use run::{build_and_install, build_app};
