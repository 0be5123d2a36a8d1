//! The built-in readiness classifiers.
//!
//! Each looks for one kind of sign and says `unknown` when it sees none; [`stability`] compares
//! the last two reads. The host combines them. What counts as a loader is decided here alone, by
//! the tables in [`indicators`] and [`labels`].

mod anr;
mod debugger;
mod indicators;
mod labels;
mod native_progress;
mod stability;

handset_plugin::export_classifiers!(
    debugger::Debugger,
    anr::Anr,
    native_progress::NativeProgress,
    labels::LoadingLabel,
    stability::Stability,
);
