//! Sandboxed components behind `handset:plugin`: found, checked, compiled, called and judged here.
//!
//! Everything that can be argued about is asked of a component through this room; what a component may
//! do to a device goes through [`SessionOps`], which `tools` implements. What this room guarantees:
//!
//! - a guest ends: by its own hand, at a bound of [`limits`], or with its budget, and never on a thread of the reactor;
//! - a guest sees what it is lent and reaches what the operator granted, and nothing else;
//! - what a guest says is checked and bounded before anyone reads it;
//! - a fault is an answer: `PLUGIN_FAULT` with plugin, kind and function, and the next call is served.

mod author;
mod bindings;
mod cache;
mod check;
mod classify;
mod component;
mod config;
mod costs;
mod discover;
mod engine;
mod entry;
mod evidence;
mod faults;
mod grants;
mod imports;
mod lent;
pub mod limits;
mod manifest;
mod names;
mod ops;
pub(crate) mod parsers;
mod precompile;
mod problem;
mod pure;
mod registry;
mod reload;
mod schema;
mod session;
mod step;
#[cfg(test)]
mod tests;
mod wasi;

pub use author::{digest, is_name};
pub use cache::cache_usable;
pub use check::{CheckOutcome, CheckVerdict, PreparedCheck};
pub use classify::{ReadinessState, Voice};
pub use config::{Builtins, Choices, LimitSettings, PluginConfig, PluginSettings, Reread};
pub use faults::{Fault, FaultKind, QUARANTINE_AFTER, QUARANTINE_FOR};
pub use grants::{GrantOf, ToolGrant};
pub use lent::MintElementId;
pub use manifest::{MANIFEST, Manifest, ManifestLimits, Requests, WIT};
pub use ops::{Answer, EvidenceNote, Found, PendingInput, SessionOps, TimelineData, WaitOptions};
pub use precompile::precompile;
pub use problem::Problem;
pub use registry::Plugins;
pub use reload::Reloaded;
pub use step::{Look, StepReport, StepType};
