//! What every end-to-end test stands on: the built binary, a real MCP client, phones of its own.
//!
//! A test is a function over a [`Bench`]: one phone, one server, one client. [`on_each_adb!`] runs its body with the
//! stand-in always and with the stock adb where it is installed (`HANDSET_REQUIRE_ADB=1` makes its absence a failure).

#![allow(dead_code, unused_imports, reason = "a kit: not every run of it needs every tool")]

mod answer;
mod bench;
mod cli;
mod client;
mod server;
mod witness;

pub(crate) use answer::Answer;
pub(crate) use bench::{Bench, Flavor, Setup, on_each_adb, wait_until};
pub(crate) use cli::{command, fed};
pub(crate) use client::{Client, Pending};
pub(crate) use server::{Era, ServerOptions};
pub(crate) use witness::Mark;
