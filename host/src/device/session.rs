//! A request's one device: adapter, connection, lane and remembered screens together.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use handset_model::snapshot::{Baseline, Capture, DeviceKey, History, HistoryLimits, Observation, ScreenFacts};
use handset_model::ui::Tree;
use handset_model::{Code, Failure};
use sha2::{Digest, Sha256};

use super::shots::Shots;
use super::{Adapter, DeviceFacts, Lane, LaneTurn, Pinned, Wants};
use crate::budget::Budget;
use crate::clock::Clock;
use crate::request::{Purpose, Request, ms};

/// What every read brings: the activity is part of the fingerprint, so all reads must agree on having it.
const WANTS: Wants = Wants { activity: true, keyboard: false };

/// Reads beside the physical one are short shell lines.
const QUERY: Duration = Duration::from_secs(5);

/// The screens this process remembers, of all devices.
#[derive(Debug)]
pub struct Screens {
    history: Mutex<History>,
    seen: Mutex<Vec<DeviceKey>>,
    shots: Shots,
    session_id: Arc<str>,
    clock: Clock,
}

impl Screens {
    /// Remembers nothing yet. `session_id` is random, once per process.
    #[must_use]
    pub fn new(session_id: Arc<str>, limits: HistoryLimits, clock: Clock) -> Self {
        Self {
            history: Mutex::new(History::new(Arc::clone(&session_id), limits)),
            seen: Mutex::default(),
            shots: Shots::default(),
            session_id,
            clock,
        }
    }

    /// The session all revisions belong to.
    #[must_use]
    pub fn session_id(&self) -> &Arc<str> {
        &self.session_id
    }

    /// The clock observations are stamped by.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(super) fn shots(&self) -> &Shots {
        &self.shots
    }

    /// Forgets every device of `platform` that a listing no longer shows as usable.
    pub fn keep_only(&self, platform: &str, usable: &[DeviceKey]) {
        self.shots.retain(|key| key.platform != platform || usable.contains(key));
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|key| {
            let keep = key.platform != platform || usable.contains(key);
            if !keep {
                self.history().forget(key);
            }
            keep
        });
    }

    /// Whether a failure says that the device is gone or another; if so, what was remembered of it is forgotten, so
    /// that no guard passes and no handle holds once it is back.
    pub fn lost(&self, device: &DeviceKey, failure: &Failure) -> bool {
        let lost = matches!(failure.code, Code::DeviceOffline | Code::DeviceNotFound);
        if lost {
            self.shots.retain(|key| key != device);
            self.history().forget(device);
        }
        lost
    }

    /// Which device holds `revision`, if any does.
    #[must_use]
    pub fn owner(&self, revision: u64) -> Option<DeviceKey> {
        self.history().owner(revision, self.clock.now_ms())
    }

    /// Remembers a read.
    pub(super) fn remember(&self, capture: Capture, tree: Tree, screen: ScreenFacts) -> Arc<Observation> {
        self.history().record(capture, tree, screen)
    }

    fn history(&self) -> std::sync::MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Mints the contract's `elementId`: position, revision, and a digest of what makes the node itself.
    #[must_use]
    pub fn element_id(&self, observation: &Observation, index: u32) -> Option<String> {
        let tag = self.tag(&observation.device, observation.connection, &observation.tree, index)?;
        Some(format!("e{index}.{}.{tag}", observation.revision))
    }

    /// The node an `elementId` names, on a fresh observation: as an answer gave it, or `N@REVISION` for entry `[N]` of
    /// a tree that is still retained.
    ///
    /// # Errors
    /// As [`Screens::handle`]; `STALE_REFERENCE` when the node is not there as it was.
    pub fn locate(&self, element_id: &str, observation: &Observation) -> Result<u32, Failure> {
        let handle = self.handle(element_id, &observation.device, observation.connection)?;
        let (index, tag) = (handle.index, handle.tag.as_str());
        let holds = |index| {
            self.tag(&observation.device, observation.connection, &observation.tree, index).as_deref() == Some(tag)
        };
        if holds(index) {
            return Ok(index);
        }
        let count = u32::try_from(observation.tree.elements.len()).unwrap_or(u32::MAX);
        let mut same = (0..count).filter(|index| holds(*index));
        match (same.next(), same.next()) {
            (Some(only), None) => Ok(only),
            _ => Err(Failure::new(
                Code::StaleReference,
                format!("{element_id} no longer names a node of this device as it was when it was handed out"),
            )),
        }
    }

    /// What an `elementId` says, in either of its forms.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for what is no elementId; `STALE_REFERENCE` for an entry of a tree that is not remembered.
    pub fn handle(&self, element_id: &str, device: &DeviceKey, connection: u64) -> Result<Handle, Failure> {
        let malformed = || {
            Failure::argument("elementId", format!("{element_id:?} is not an elementId")).with_remedy(
                "Pass an elementId as an answer of this server gave it, or N@REVISION for entry [N] of a tree.",
            )
        };
        if let Some((index, revision)) = element_id.split_once('@') {
            let index: u32 = index.parse().map_err(|_| malformed())?;
            let revision: u64 = revision.parse().map_err(|_| malformed())?;
            let retained = self.history().retained(device, connection, revision, self.clock.now_ms());
            let tag = retained.and_then(|seen| self.tag(device, connection, &seen.tree, index));
            return tag.map(|tag| Handle { index, tag }).ok_or_else(|| {
                let message = format!("{element_id} names no entry of a tree of this device that is still remembered");
                Failure::new(Code::StaleReference, message)
            });
        }
        let mut parts = element_id.strip_prefix('e').ok_or_else(malformed)?.splitn(3, '.');
        let index: u32 = parts.next().and_then(|part| part.parse().ok()).ok_or_else(malformed)?;
        let _revision: u64 = parts.next().and_then(|part| part.parse().ok()).ok_or_else(malformed)?;
        let tag = parts.next().filter(|tag| tag.len() == 16).ok_or_else(malformed)?;
        Ok(Handle { index, tag: tag.to_owned() })
    }

    /// A digest of session, device, connection and the node's identity: its stable id where that is
    /// unique on the screen, else everything that tells it apart, its position included.
    fn tag(&self, device: &DeviceKey, connection: u64, tree: &Tree, index: u32) -> Option<String> {
        let element = tree.get(index)?;
        let mut digest = Sha256::new();
        for part in
            [self.session_id.as_bytes(), device.platform.as_bytes(), device.id.as_bytes(), &connection.to_be_bytes()]
        {
            digest.update(part);
            digest.update([0]);
        }
        let unique = element
            .stable_id
            .as_deref()
            .filter(|id| tree.elements.iter().filter(|other| other.stable_id.as_deref() == Some(id)).count() == 1);
        if let Some(stable) = unique {
            digest.update(b"stable\0");
            digest.update(stable);
        } else {
            let texts = [
                Some(element.class.as_str()),
                element.stable_id.as_deref(),
                element.resource_id.as_deref(),
                element.text.as_deref(),
                element.description.as_deref(),
            ];
            for text in texts {
                digest.update(text.unwrap_or(""));
                digest.update([0]);
            }
            digest.update(index.to_be_bytes());
        }
        let bytes = digest.finalize();
        Some(bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect())
    }
}

/// A node as an `elementId` names it: where it was, and what makes it itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handle {
    index: u32,
    tag: String,
}

/// One device for the length of one request.
#[derive(Clone, Debug)]
pub struct Session {
    /// Its platform's adapter.
    pub adapter: Arc<dyn Adapter>,
    /// The device in its connection.
    pub pinned: Pinned,
    /// Its lane.
    pub lane: Arc<Lane>,
    /// All remembered screens.
    pub screens: Arc<Screens>,
}

impl Session {
    /// One fresh physical read in a lane turn of its own.
    ///
    /// # Errors
    /// The read's typed failure; waiting for the lane spends `budget`.
    pub async fn observe(
        &self,
        request: &Request,
        purpose: Purpose,
        budget: &Budget,
    ) -> Result<Arc<Observation>, Failure> {
        let turn = self.enter(request, budget).await?;
        let (result, leftover) = self.read(request, purpose, budget).await;
        if let Some(leftover) = leftover {
            turn.leave_behind(Arc::clone(&self.adapter), self.pinned.clone(), leftover);
        }
        result
    }

    /// Waits for the lane.
    ///
    /// # Errors
    /// `TIMEOUT` or `CANCELLED`.
    pub async fn enter(&self, request: &Request, budget: &Budget) -> Result<LaneTurn, Failure> {
        let turn = self.lane.enter(budget).await?;
        request.timings.add("queue_ms", ms(turn.queued));
        Ok(turn)
    }

    /// One fresh physical read inside a turn the caller holds, and what it may have left on the device.
    pub async fn read(
        &self,
        request: &Request,
        purpose: Purpose,
        budget: &Budget,
    ) -> (Result<Arc<Observation>, Failure>, Option<super::Leftover>) {
        match self.adapter.read(&self.pinned, WANTS, budget).await {
            Ok(read) => {
                tracing::debug!(request = %request.id, attempts = read.reads.len(), "read");
                request.acquired(purpose, &read.reads, true);
                let mut seen = self.screens.seen.lock().unwrap_or_else(PoisonError::into_inner);
                if !seen.contains(&self.pinned.key) {
                    seen.push(self.pinned.key.clone());
                }
                drop(seen);
                (Ok(self.screens.remember(read.capture, read.tree, read.screen)), None)
            }
            Err(failed) => {
                tracing::debug!(request = %request.id, code = %failed.failure.code, attempts = failed.reads.len(), "read failed");
                request.acquired(purpose, &failed.reads, false);
                self.screens.lost(&self.pinned.key, &failed.failure);
                (Err(failed.failure), failed.leftover)
            }
        }
    }

    /// The retained observation of a revision of this device in this connection.
    #[must_use]
    pub fn retained(&self, revision: u64) -> Option<Baseline> {
        self.screens.history().retained(&self.pinned.key, self.pinned.connection, revision, self.screens.clock.now_ms())
    }

    /// The newest retained observation of this device in this connection.
    #[must_use]
    pub fn newest(&self) -> Option<Baseline> {
        self.screens.history().newest(&self.pinned.key, self.pinned.connection, self.screens.clock.now_ms())
    }

    /// The device's facts, remembered per connection; `None` when it did not tell them.
    ///
    /// # Errors
    /// Only that the device is not there any more, or another one is in its place.
    pub async fn facts(&self, request: &Request, budget: &Budget) -> Result<Option<DeviceFacts>, Failure> {
        let budget = budget.child(QUERY);
        let facts = request.timings.time("metadata_ms", self.adapter.facts(&self.pinned, &budget));
        match request.timings.time("device_resolution_ms", facts).await {
            Ok(facts) => Ok(Some(facts)),
            Err(failure) if self.screens.lost(&self.pinned.key, &failure) => Err(failure),
            Err(_) => Ok(None),
        }
    }
}
