//! The adapter against a simulated phone: through the adb of this system, under a server of the test's own, and through
//! its stand-in. What only a server does (restarts, transports) is tested with the real one alone.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests")]

#[cfg(unix)]
mod identity;
mod inputs;
mod listing;
mod losses;
#[cfg(unix)]
mod old;
mod reads;
mod rig;
mod typing;
