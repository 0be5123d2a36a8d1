//! Whether the device under a transport id is still the one that was pinned.
//!
//! A new adb server counts its transports anew, so that after a restart by anybody the same id may be another device,
//! and nothing in adb tells. The kernel's boot id does: no two devices share one, and a shell reads it without a process.

use handset_model::android::quote;
use handset_model::{Code, Failure};

use super::Android;
use super::facts::connection;
use crate::device::Pinned;

/// Leaves the boot id in `$b`, empty where the device does not show one.
pub(super) const READ_BOOT_ID: &str = "{ read b </proc/sys/kernel/random/boot_id; } 2>/dev/null";

/// What an input's line says when it found another device, and sent nothing.
pub(super) const OTHER: &str = "handset:other-device";

impl Android {
    /// Compares with what this connection's device answered first. A mismatch forgets the connection: the next request
    /// lists anew, and what it finds under this id then is what it means.
    pub(super) fn same_device(&self, device: &Pinned, boot_id: &str) -> Result<(), Failure> {
        if boot_id.is_empty() {
            return Ok(());
        }
        let mut known = self.known();
        let boot = &mut connection(&mut known, device).boot_id;
        match boot {
            Some(first) if first != boot_id => {
                known.remove(&(device.key.id.clone(), device.connection));
                Err(other_device(device))
            }
            _ => {
                *boot = Some(boot_id.to_owned());
                Ok(())
            }
        }
    }

    /// A line that runs only on the device this connection is known to have.
    pub(super) fn guarded(&self, device: &Pinned, line: &str) -> String {
        match &connection(&mut self.known(), device).boot_id {
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
