//! Platform adapters: command lines out, captures in.

pub mod android;
