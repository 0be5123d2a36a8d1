//! Remembered screens: revisions that move exactly when a device's signature does, bounded history, deltas.

mod delta;
mod history;
mod identity;
mod record;
mod signature;
#[cfg(test)]
mod tests;

pub use delta::{Change, ChangeKind, Delta, MAX_DELTA_CHANGES, MAX_DELTA_NODES, changes, delta, diff};
pub use history::{Baseline, Capture, History, HistoryLimits};
pub use identity::{counterpart, identity, same_identity};
pub use signature::{Signature, signature};

use std::sync::Arc;

use crate::ui::Tree;

/// Which physical device, in which connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeviceKey {
    /// `android` or `ios`.
    pub platform: &'static str,
    /// adb serial or simulator UDID.
    pub id: String,
}

/// Facts that come with a tree from the same read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScreenFacts {
    /// Package in front.
    pub package: Option<String>,
    /// Activity in front, full name.
    pub activity: Option<String>,
}

/// One tree parsed from one successful physical read; immutable, shared by `Arc`.
#[derive(Clone, Debug)]
pub struct Observation {
    /// Where it was read.
    pub device: DeviceKey,
    /// Connection the device was read through: adb's transport id.
    pub connection: u64,
    /// The server process's session.
    pub session_id: Arc<str>,
    /// Handed out by [`History`]; from one counter per process.
    pub revision: u64,
    /// Digest of all that counts as a change.
    pub signature: Signature,
    /// Which screen this is.
    pub fingerprint: String,
    /// Monotonic milliseconds since the host started, when the read began.
    pub started_ms: f64,
    /// Monotonic milliseconds since the host started, when the read ended.
    pub captured_ms: f64,
    /// Wall clock, milliseconds since the epoch, when the read ended.
    pub captured_at_ms: u64,
    /// The screen.
    pub tree: Tree,
    /// Package and activity in front, where read.
    pub screen: ScreenFacts,
}
