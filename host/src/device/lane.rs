//! One lane per device: reads and inputs queue fairly and cancellably, and only the supervisor releases it.

use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use handset_model::snapshot::DeviceKey;
use handset_model::{Code, Failure};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::lockfile::{self, Held};
use super::{Adapter, Pinned};
use crate::budget::{Budget, Stopped};

/// Between two looks at another process's lock: nothing tells when it is released.
const FOREIGN_POLL: Duration = Duration::from_millis(20);

/// Between two questions whether a leftover is over, each a round trip to the device.
const LEFTOVER_POLL: Duration = Duration::from_millis(200);

/// One such question may take this long.
const LEFTOVER_QUESTION: Duration = Duration::from_secs(2);

/// What our own work may have left running on the device.
#[derive(Clone, Debug, PartialEq)]
pub struct Leftover {
    /// Pid of the dump or the input on the device, where its line came through.
    pub pid: Option<u32>,
    /// Where it is written down on the device, when it did not come through.
    pub note: Option<Note>,
    /// The lane stays closed until this moment at the latest (12 s from a dump's start; an input's start and its gesture).
    pub until: Instant,
}

/// Where something left on the device writes down its pid as it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// Its name there, for the device's shell: may hold a pattern.
    pub path: String,
    /// What has written nothing by now is not going to begin.
    pub due: Instant,
}

/// All lanes of this server. The default knows this process only; a server takes [`Lanes::advisory`].
#[derive(Debug, Default)]
pub struct Lanes {
    lanes: Mutex<HashMap<DeviceKey, Arc<Lane>>>,
    folder: Option<PathBuf>,
}

/// One device's lane.
#[derive(Debug)]
pub struct Lane {
    gate: Arc<Semaphore>,
    holder: Mutex<Option<Holder>>,
    lock: Option<PathBuf>,
}

/// Who keeps the lane closed, for the message of one who waited in vain.
#[derive(Clone, Debug)]
enum Holder {
    Turn { since: Instant },
    Leftover(Leftover),
}

/// A turn on the lane; dropping it lets the next waiter in, unless something was left behind.
#[derive(Debug)]
pub struct LaneTurn {
    /// Time spent waiting for this turn.
    pub queued: Duration,
    lane: Arc<Lane>,
    // Dropped in this order: other processes first, then our own next waiter.
    _lock: Option<File>,
    _permit: OwnedSemaphorePermit,
}

impl Lanes {
    /// Lanes that also keep out other Handset processes of this user, by a lock file per device under the
    /// system's temporary folder. Where that folder cannot be used the lanes work without.
    #[must_use]
    pub fn advisory() -> Self {
        Self { folder: lockfile::folder(), ..Self::default() }
    }

    /// As [`Lanes::advisory`], with the lock files in `folder`.
    #[must_use]
    pub fn advisory_in(folder: PathBuf) -> Self {
        Self { folder: Some(folder), ..Self::default() }
    }

    /// The lane of a device.
    pub fn lane(&self, device: &DeviceKey) -> Arc<Lane> {
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        let lane = lanes.entry(device.clone()).or_insert_with(|| {
            Arc::new(Lane {
                gate: Arc::new(Semaphore::new(1)),
                holder: Mutex::default(),
                lock: self.folder.as_ref().map(|folder| lockfile::path(folder, device)),
            })
        });
        Arc::clone(lane)
    }
}

impl Lane {
    /// Waits for a turn, first come first served; waiting spends the waiter's budget, and a waiter who is dropped leaves the queue.
    ///
    /// # Errors
    /// `TIMEOUT` naming what holds the lane, `SLOT_BUSY` naming another Handset process that does, or `CANCELLED`.
    pub async fn enter(self: &Arc<Self>, budget: &Budget) -> Result<LaneTurn, Failure> {
        let asked = Instant::now();
        let permit = match budget.run(Arc::clone(&self.gate).acquire_owned()).await {
            Ok(Ok(permit)) => permit,
            Ok(Err(_closed)) => return Err(Failure::new(Code::Unknown, "the device's lane was closed")),
            Err(why) => return Err(self.waited_in_vain(why)),
        };
        let lock = self.foreign(budget).await?;
        *self.holder() = Some(Holder::Turn { since: Instant::now() });
        Ok(LaneTurn { queued: asked.elapsed(), lane: Arc::clone(self), _lock: lock, _permit: permit })
    }

    /// Waits until no other process holds the device; `None` where that cannot be told.
    async fn foreign(&self, budget: &Budget) -> Result<Option<File>, Failure> {
        let Some(path) = &self.lock else { return Ok(None) };
        loop {
            let other = match lockfile::try_hold(path) {
                Held::Ours(file) => return Ok(Some(file)),
                Held::Unusable => return Ok(None),
                Held::Other(pid) => pid,
            };
            match budget.pause(FOREIGN_POLL).await {
                Ok(()) => {}
                Err(Stopped::Cancelled) => return Err(self.waited_in_vain(Stopped::Cancelled)),
                Err(Stopped::Expired) => return Err(busy_elsewhere(other)),
            }
        }
    }

    fn waited_in_vain(&self, why: Stopped) -> Failure {
        let now = Instant::now();
        let holder = match &*self.holder() {
            Some(Holder::Turn { since }) => {
                format!(
                    "another request of this server has held it for {} ms",
                    now.saturating_duration_since(*since).as_millis()
                )
            }
            Some(Holder::Leftover(Leftover { pid, until, .. })) => {
                let rest = until.saturating_duration_since(now).as_millis();
                match pid {
                    Some(pid) => format!(
                        "an earlier command of ours (pid {pid} on the device) may still be running there, for {rest} ms more at most"
                    ),
                    None => {
                        format!("earlier work of ours may still be running on the device, for {rest} ms more at most")
                    }
                }
            }
            None => "another request of this server is waiting before it".to_owned(),
        };
        why.failure(Code::Timeout, &format!("waiting for the device's lane: {holder}"))
    }

    fn holder(&self) -> MutexGuard<'_, Option<Holder>> {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn busy_elsewhere(pid: Option<u32>) -> Failure {
    let who =
        pid.map_or_else(|| "another Handset process".to_owned(), |pid| format!("another Handset process (pid {pid})"));
    Failure::new(Code::SlotBusy, format!("{who} is using this device"))
        .with_remedy("Wait for the other Handset to finish, or use one server for both.")
}

impl LaneTurn {
    /// Keeps the lane closed after this turn, in a task of its own, until `adapter` says the leftover is over or its bound has passed.
    /// Outside a runtime, which an ending server is, the lane opens at once.
    pub fn leave_behind(self, adapter: Arc<dyn Adapter>, device: Pinned, leftover: Leftover) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        *self.lane.holder() = Some(Holder::Leftover(leftover.clone()));
        runtime.spawn(async move {
            wait_out(adapter.as_ref(), &device, &leftover).await;
            drop(self);
        });
    }
}

async fn wait_out(adapter: &dyn Adapter, device: &Pinned, leftover: &Leftover) {
    // Bound by time alone: the request that left it here is over.
    let bound = leftover.until.saturating_duration_since(Instant::now());
    let all = Budget::new(bound, CancellationToken::new());
    while all.check().is_ok() {
        let question = all.child(LEFTOVER_QUESTION);
        if adapter.is_over(device, leftover, &question).await {
            return;
        }
        if all.pause(LEFTOVER_POLL).await.is_err() {
            return;
        }
    }
}

impl Drop for LaneTurn {
    fn drop(&mut self) {
        // Before the fields go: whoever comes next must not be taken for this turn.
        *self.lane.holder() = None;
    }
}
