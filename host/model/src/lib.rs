//! What Handset knows about screens, free of I/O: trees and their parser, selectors, fingerprints,
//! snapshots with their revisions and deltas, and the parsers of everything `adb` and a device print.
//!
//! Nothing here spawns, waits or speaks a protocol; every function is total: any input gives a value
//! or a typed [`Failure`].

pub mod android;
pub mod build;
pub mod capture;
pub mod code;
pub mod logs;
pub mod member;
pub mod parsers;
pub mod report;
pub mod snapshot;
pub mod ui;

pub use code::{Code, Failure};
