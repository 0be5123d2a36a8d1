//! Behaviour of the model, on real captures and on what captures do not show.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

mod adb;
mod anything;
mod builds;
mod captures;
mod costs;
mod dumps;
mod dumpsys;
mod finding;
mod fingerprints;
mod history;
#[path = "../../../../tests/inputs/mod.rs"]
mod inputs;
mod launch;
mod logs;
mod managing;
mod parsing;
mod probing;
mod properties;
mod quoting;
mod refusing;
mod rendering;
mod reports;
mod screen;
mod selecting;
mod support;
mod targets;
