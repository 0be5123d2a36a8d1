//! Whether the device under a transport id is still the one that was pinned.
//!
//! A new adb server counts its transports anew, so that after a restart by anybody the same id may be another device,
//! and nothing in adb tells. The kernel's boot id does: no two devices share one, and a shell reads it without a process.

use handset_model::android::quote;
use handset_model::{Code, Failure};

use super::Android;
use super::shell::Script;
use crate::budget::Budget;
use crate::device::{Listed, Pinned};

/// Leaves the boot id in `$b`, empty where the device does not show one.
pub(super) const READ_BOOT_ID: &str = "{ read b </proc/sys/kernel/random/boot_id; } 2>/dev/null";

/// What an input's line says when it found another device, and sent nothing.
pub(super) const OTHER: &str = "handset:other-device";

/// What a boot id says about who answered.
enum Answered {
    /// The one that was met in this connection.
    Same,
    /// Another device, or another boot.
    Other,
    /// Who that is was not known in this connection.
    New,
}

impl Android {
    /// Compares who answered with who was met in this connection first. At the first meeting a fresh listing has to confirm
    /// the connection: whoever restarts a server between a listing and that meeting leaves no other trace.
    ///
    /// After a mismatch nothing goes over this connection, until a listing shows the serial in it again.
    pub(super) async fn identify(
        &self,
        device: &Pinned,
        boot_id: &str,
        restarted: bool,
        budget: &Budget,
    ) -> Result<(), Failure> {
        match self.compare(device, boot_id, restarted) {
            Answered::Same => return Ok(()),
            Answered::Other => return Err(other_device(device)),
            Answered::New => self.same_connection(device, budget).await?,
        }
        let mut known = self.known();
        let met = known.connection(device);
        met.met = true;
        met.boot_id = Some(boot_id.to_owned()).filter(|id| !id.is_empty());
        Ok(())
    }

    fn compare(&self, device: &Pinned, boot_id: &str, restarted: bool) -> Answered {
        let mut known = self.known();
        let met = known.connection(device);
        match met.boot_id.as_deref() {
            Some(first) if first == boot_id => Answered::Same,
            Some(_) => {
                met.suspect = true;
                Answered::Other
            }
            // One that shows no boot id is known by its connection alone.
            None if met.met && boot_id.is_empty() && !restarted => Answered::Same,
            None => Answered::New,
        }
    }

    /// Refuses a connection in which another device was found.
    pub(super) fn still_trusted(&self, device: &Pinned) -> Result<(), Failure> {
        if self.known().connection(device).suspect { Err(other_device(device)) } else { Ok(()) }
    }

    /// An input's line found another device.
    pub(super) fn suspect(&self, device: &Pinned) {
        self.known().connection(device).suspect = true;
    }

    /// A listing shows who is in which connection: what was suspected of those in it is settled.
    pub(super) fn listed_anew(&self, listed: &[Listed]) {
        let mut known = self.known();
        known.connections.retain(|(id, connection), met| {
            !(met.suspect && listed.iter().any(|one| one.usable && one.id == *id && one.connection == *connection))
        });
    }

    /// Before an input: it must be known which device is in the connection, so that its line runs on no other.
    pub(super) async fn meet(&self, device: &Pinned, budget: &Budget) -> Result<(), Failure> {
        self.still_trusted(device)?;
        if self.known().connection(device).met {
            return Ok(());
        }
        self.ask(device, &Script::new(), "asking which device answers", budget).await.map(drop)
    }

    /// Whether inputs of this connection check where they are.
    pub(super) fn is_guarded(&self, device: &Pinned) -> bool {
        self.known().connection(device).boot_id.is_some()
    }

    /// A line that runs only on the device this connection is known to have.
    pub(super) fn guarded(&self, device: &Pinned, line: &str) -> String {
        match &self.known().connection(device).boot_id {
            Some(boot_id) => {
                format!("{READ_BOOT_ID}; [ \"$b\" = {} ] || {{ echo {OTHER}; exit 1; }}; {line}", quote(boot_id))
            }
            None => line.to_owned(),
        }
    }
}

pub(super) fn other_device(device: &Pinned) -> Failure {
    let message = format!(
        "the connection of {:?} belongs to another device or another boot now: the adb server or the device was restarted",
        device.key.id
    );
    Failure::new(Code::DeviceOffline, message).with_remedy("Repeat the call: it will look for the device again.")
}
