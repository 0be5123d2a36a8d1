//! The built-in condition predicates: what a guarded input may be made to depend on.
//!
//! Each says `cannot-tell` rather than guess: an ambiguous target, a property the platform does
//! not expose and a missing baseline all block the input without claiming that anything is wrong.

mod element_state;
mod element_visible;
mod snapshot;
mod text_present;

handset_plugin::export_predicates!(
    snapshot::Snapshot,
    element_visible::ElementVisible,
    element_state::ElementState,
    text_present::TextPresent,
);
