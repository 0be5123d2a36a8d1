//! End-to-end: the built binary, a real MCP client, phones on the real ADB transport.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests say what went wrong by panicking")]

mod support;

mod args;
mod demo;
mod doctor;
mod faults;
mod first_contact;
mod guard;
mod parse;
mod plugins;
mod protocol;
mod safety;
mod selfcheck;
mod soak;
mod tools;
mod tree;
