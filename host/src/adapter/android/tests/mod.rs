//! The adapter against a simulated phone, through the adb of this system under a server of the test's own.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests")]

mod inputs;
mod listing;
mod reads;
mod rig;
