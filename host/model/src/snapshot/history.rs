//! Per device the newest revisions, bounded in count, age and size; one revision counter per process.

use std::collections::HashMap;
use std::sync::Arc;

use super::{DeviceKey, Observation, ScreenFacts, signature};
use crate::ui::{Tree, fingerprint};

/// Contract §1: 8 revisions, 10 minutes, 500 node records each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HistoryLimits {
    /// Revisions kept per device.
    pub revisions: usize,
    /// Milliseconds a revision is kept after it was last observed.
    pub max_age_ms: f64,
    /// Node records of a revision that a delta vouches for: with more on either side it is truncated.
    pub nodes: usize,
}

impl Default for HistoryLimits {
    fn default() -> Self {
        Self { revisions: 8, max_age_ms: 600_000.0, nodes: super::delta::MAX_DELTA_NODES }
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
        let max_age_ms = self.limits.max_age_ms;
        let now_ms = capture.captured_ms;
        for (device, kept) in &mut self.devices {
            let here = *device == capture.device;
            let over = |one: &Observation| here && one.connection != capture.connection;
            kept.retain(|one| !over(one) && !is_expired(one, now_ms, max_age_ms));
        }
        self.devices.retain(|device, kept| !kept.is_empty() || *device == capture.device);
        let name = screen_name(&screen);
        let signature = signature(&tree, &name, tree.resolution);
        let kept = self.devices.entry(capture.device.clone()).or_default();
        let same = kept.pop_if(|newest| newest.signature == signature).map(|newest| newest.revision);
        let revision = same.unwrap_or_else(|| {
            let revision = self.next_revision;
            self.next_revision += 1;
            revision
        });
        let observation = Arc::new(Observation {
            fingerprint: fingerprint(&tree, screen.activity.as_deref()),
            device: capture.device,
            connection: capture.connection,
            session_id: Arc::clone(&self.session_id),
            revision,
            signature,
            started_ms: capture.started_ms,
            captured_ms: capture.captured_ms,
            captured_at_ms: capture.captured_at_ms,
            tree,
            screen,
        });
        kept.push(Arc::clone(&observation));
        let surplus = kept.len().saturating_sub(self.limits.revisions.max(1));
        kept.drain(..surplus);
        observation
    }

    /// The retained observation of `revision`, if it is still retained at `now_ms`.
    #[must_use]
    pub fn retained(&self, device: &DeviceKey, connection: u64, revision: u64, now_ms: f64) -> Option<Baseline> {
        self.alive(device, now_ms).find(|one| one.connection == connection && one.revision == revision).cloned()
    }

    /// The newest retained observation of a device.
    #[must_use]
    pub fn newest(&self, device: &DeviceKey, connection: u64, now_ms: f64) -> Option<Baseline> {
        self.alive(device, now_ms).rfind(|one| one.connection == connection).cloned()
    }

    /// Which device handed out `revision`, if it is still retained: tells DEVICE_MISMATCH from BASELINE_UNAVAILABLE.
    #[must_use]
    pub fn owner(&self, revision: u64, now_ms: f64) -> Option<DeviceKey> {
        let holds = |device: &&DeviceKey| self.alive(device, now_ms).any(|one| one.revision == revision);
        self.devices.keys().find(holds).cloned()
    }

    /// Forgets a device that is gone, offline, or back under another connection.
    pub fn forget(&mut self, device: &DeviceKey) {
        self.devices.remove(device);
    }

    /// What is kept of a device at a time, oldest first.
    fn alive(&self, device: &DeviceKey, now_ms: f64) -> impl DoubleEndedIterator<Item = &Baseline> {
        let kept = self.devices.get(device).map(Vec::as_slice).unwrap_or_default();
        kept.iter().filter(move |one| !is_expired(one, now_ms, self.limits.max_age_ms))
    }
}

fn is_expired(observation: &Observation, now_ms: f64, max_age_ms: f64) -> bool {
    now_ms - observation.captured_ms > max_age_ms
}

/// What the signature takes as the screen: package and activity in front.
fn screen_name(screen: &ScreenFacts) -> String {
    let package = screen.package.as_deref().unwrap_or_default();
    let activity = screen.activity.as_deref().unwrap_or_default();
    format!("{package}/{activity}")
}
