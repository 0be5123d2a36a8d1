//! Handset: agents ask over MCP; the host touches the device; components decide.
//!
//! The rooms, top to bottom: fronts ([`cli`], [`mcp`]) → [`tools`] → [`journey`] → [`action`], [`wait`] →
//! [`plugin`] → [`device`]; [`adapter`] → [`device`], [`process`], [`budget`]. `handset_model` lies below all, and
//! [`parsers`] looks into every room that takes bytes from outside.

pub mod action;
pub mod adapter;
pub mod budget;
pub mod cli;
pub mod clock;
pub mod device;
pub mod journey;
pub mod mcp;
pub mod parsers;
pub mod plugin;
pub mod process;
pub mod request;
pub mod tools;
pub mod wait;

#[cfg(test)]
mod rooms;
