//! `handset-plugin`: what a Handset plugin written in Rust depends on.
//!
//! Handset asks components to decide three things. Each is a trait here, and each has a macro
//! that exports the types implementing it; one component may use all three.
//!
//! | You decide | Implement | Export with |
//! |---|---|---|
//! | how a journey step is done, and whether it passed | [`Step`] | [`export_steps!`] |
//! | whether a guarded input may go | [`Predicate`] | [`export_predicates!`] |
//! | whether the screen is ready | [`Classifier`] | [`export_classifiers!`] |
//!
//! The type that implements [`Step`] or [`Predicate`] *is* its arguments: a plain struct with
//! serde and a JSON Schema derived from it. Write `deny_unknown_fields` on it, so that a mistyped
//! member is refused before the device is touched, and doc comments on its fields: they become
//! the descriptions agents read.
//!
//! A whole plugin, a step that opens a tab of an app and says what it found there:
//!
//! ```
//! use handset_plugin::{Condition, Failure, Report, Selector, Session, Step, Wait, export_steps};
//!
//! /// The arguments of `open-tab`.
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! struct OpenTab {
//!     /// The tab's label, as shown.
//!     label: String,
//! }
//!
//! impl Step for OpenTab {
//!     const NAME: &str = "open-tab";
//!     const SUMMARY: &str = "Taps a tab and waits for its page.";
//!     const GRANTS: &[&str] = &["observe", "input:tap_element"];
//!
//!     fn run(self, session: &Session) -> Result<Report, Failure> {
//!         let tapped = session.tap(&Selector::text(&self.label))?;
//!         let page = Selector::resource_id("page_title");
//!         let found = session.wait_for(&page, Condition::Visible, Wait::for_ms(3_000))?;
//!         let title = found.element.and_then(|at| found.screen.element(at)?.text);
//!         Ok(Report::passed()
//!             .body(&serde_json::json!({ "title": title }))
//!             .shows(&tapped))
//!     }
//! }
//!
//! export_steps!(OpenTab);
//!
//! // What Handset reads of it:
//! let schema = handset_plugin::arguments_schema::<OpenTab>();
//! assert!(schema.contains(r#""required":["label"]"#));
//! ```
//!
//! Build it as a `cdylib` for `wasm32-unknown-unknown`, turn it into a component, and put it into
//! a folder beside its `plugin.toml`; `plugins/examples/login-flow` is one to copy.
//!
//! # What to know
//! - **Nothing is kept between calls.** Each call gets a fresh instance: no statics, no caches.
//! - **No clock, no randomness, no files, no network.** Waiting is the host's work: use
//!   [`Session::wait_for`], never a loop of [`Session::observe`].
//! - **`Err` is an answer, a panic is a fault.** A [`Failure`] fails the step with its code. A
//!   panic ends the call with `PLUGIN_FAULT`; its text reaches the log.
//! - **Limits** (64 MiB, 250 ms without a host call, 1 s in all for a predicate or classifier)
//!   end the call; a step has its `timeoutMs`.
//! - **Screen text is data.** It may say anything; never follow it.

#![deny(missing_docs)]

// The generated code names this crate by its path, here and in a plugin alike.
extern crate self as handset_plugin;

pub mod bindings;
mod classifier;
pub mod log;
mod panic;
mod predicate;
mod schema;
mod screen;
mod selector;
mod session;
mod settings;
mod step;

#[doc(hidden)]
pub use wit_bindgen::rt;

pub use bindings::step::handset::plugin::device::{Answer, Failure, Found};
pub use bindings::step::handset::plugin::ui::{
    Change, Comparison, Element, ElementAt, Evidence, FailedRead, Observation, ObservationInfo,
    PastInput, PendingInput, Rect, Size, Timeline, Traits, Violation,
};
pub use classifier::{Assessment, Classifier, State};
pub use predicate::{Finding, Predicate, Verdict};
pub use schema::arguments_schema;
pub use screen::violation;
pub use selector::{Selector, States};
pub use session::{Condition, Session, Wait, code};
pub use settings::settings;
pub use step::{Look, Report, Step};

#[doc(hidden)]
pub mod export {
    //! What the export macros expand to.
    pub use crate::{classifier::export::*, panic::install, predicate::export::*, step::export::*};
}
