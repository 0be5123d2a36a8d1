//! The built-in journey step types.
//!
//! A step turns its arguments into calls of the host's tools and decides what passes: the waiting,
//! the reads and the one place that sends input stay with the host. What a step shows comes from
//! the host's own record of those calls.

mod app;
mod args;
mod assert;
mod gesture;
mod outcome;
mod scroll;
mod tap;
mod text;
mod wait;

handset_plugin::export_steps!(
    app::StartApp,
    wait::WaitForUi,
    tap::Tap,
    assert::Assert,
    text::TypeText,
    gesture::PressBack,
    gesture::Swipe,
    gesture::PressKey,
    scroll::ScrollToElement,
    app::TerminateApp,
    wait::WaitForReadiness,
);
