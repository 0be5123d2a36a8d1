//! Per device the newest revisions, bounded in count, age and size; one revision counter per process.

use std::collections::HashMap;
use std::sync::Arc;

use super::{DeviceKey, Observation, ScreenFacts};
use crate::ui::Tree;

/// Contract §1: 8 revisions, 10 minutes, 500 node records each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HistoryLimits {
    /// Revisions kept per device.
    pub revisions: usize,
    /// Milliseconds a revision is kept after it was last observed.
    pub max_age_ms: f64,
    /// Node records kept per revision for deltas.
    pub nodes: usize,
}

impl Default for HistoryLimits {
    fn default() -> Self {
        Self { revisions: 8, max_age_ms: 600_000.0, nodes: 500 }
    }
}

/// A retained observation, held for one check so that the check's own read cannot evict it.
pub type Baseline = Arc<Observation>;

/// The remembered screens of every device. Not synchronised: the host wraps it in a mutex.
#[derive(Debug)]
pub struct History {
    limits: HistoryLimits,
    session_id: Arc<str>,
    next_revision: u64,
    devices: HashMap<DeviceKey, Vec<Baseline>>,
}

/// When and where a tree was read.
#[derive(Clone, Debug)]
pub struct Capture {
    /// Where.
    pub device: DeviceKey,
    /// adb's transport id.
    pub connection: u64,
    /// Monotonic ms since the host started, at the read's start.
    pub started_ms: f64,
    /// Monotonic ms since the host started, at the read's end.
    pub captured_ms: f64,
    /// Wall clock ms since the epoch.
    pub captured_at_ms: u64,
}

impl History {
    /// An empty history for one server process. `session_id` is random and never blank.
    #[must_use]
    pub fn new(session_id: Arc<str>, limits: HistoryLimits) -> Self {
        Self { limits, session_id, next_revision: 1, devices: HashMap::new() }
    }

    /// The session all revisions belong to.
    #[must_use]
    pub fn session_id(&self) -> &Arc<str> {
        &self.session_id
    }

    /// Records a successful read: the same revision as the device's newest when the signatures are
    /// equal (its time refreshed), a new one otherwise. Another connection of the device forgets it first.
    pub fn record(&mut self, capture: Capture, tree: Tree, screen: ScreenFacts) -> Arc<Observation> {
        let _ = (&self.limits, &self.next_revision, &self.devices);
        let _ = (capture, tree, screen);
        unimplemented!()
    }

    /// The retained observation of `revision`, if it is still retained at `now_ms`.
    #[must_use]
    pub fn retained(&self, device: &DeviceKey, connection: u64, revision: u64, now_ms: f64) -> Option<Baseline> {
        let _ = (device, connection, revision, now_ms);
        None
    }

    /// The newest retained observation of a device.
    #[must_use]
    pub fn newest(&self, device: &DeviceKey, connection: u64, now_ms: f64) -> Option<Baseline> {
        let _ = (device, connection, now_ms);
        None
    }

    /// Which device handed out `revision`, if it is still retained: tells DEVICE_MISMATCH from BASELINE_UNAVAILABLE.
    #[must_use]
    pub fn owner(&self, revision: u64, now_ms: f64) -> Option<DeviceKey> {
        let _ = (revision, now_ms);
        None
    }

    /// Forgets a device that is gone, offline, or back under another connection.
    pub fn forget(&mut self, device: &DeviceKey) {
        self.devices.remove(device);
    }
}
