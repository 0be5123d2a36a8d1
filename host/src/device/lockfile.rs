//! The advisory lock that tells Handset processes of one user about each other, a file per device.
//! Never fatal: a folder that cannot be used means that other processes are not seen.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use handset_model::snapshot::DeviceKey;
use sha2::{Digest, Sha256};

/// What came of trying.
pub(super) enum Held {
    /// Locked by us until the file is dropped.
    Ours(File),
    /// Locked by another process, whose pid it wrote.
    Other(Option<u32>),
    /// No lock can be had here.
    Unusable,
}

/// A serial may hold anything, so files are named by a digest of it.
pub(super) fn path(folder: &Path, device: &DeviceKey) -> PathBuf {
    let mut digest = Sha256::new();
    digest.update(device.platform);
    digest.update([0]);
    digest.update(&device.id);
    let name: String = digest.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    folder.join(format!("{name}.lock"))
}

/// Tries once; never waits.
pub(super) fn try_hold(path: &Path) -> Held {
    let file = match OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path) {
        Ok(file) => file,
        Err(error) => {
            tracing::debug!(%error, "no lock file for this device");
            return Held::Unusable;
        }
    };
    match file.try_lock() {
        Ok(()) => {
            // Only for the other's message: a lock without a pid still locks. Mostly it is there from our last turn.
            let us = std::process::id();
            if pid_in(&file) != Some(us) {
                let mut writer = &file;
                let written = file.set_len(0).and_then(|()| writer.rewind()).and_then(|()| write!(writer, "{us}"));
                if let Err(error) = written {
                    tracing::debug!(%error, "no pid in the lock file");
                }
            }
            Held::Ours(file)
        }
        Err(TryLockError::WouldBlock) => Held::Other(pid_in(&file)),
        Err(TryLockError::Error(error)) => {
            tracing::debug!(%error, "no lock on this file system");
            Held::Unusable
        }
    }
}

fn pid_in(mut file: &File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(20).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// The folder all Handset processes of this user share, made when it is not there.
#[cfg(unix)]
#[must_use]
pub fn folder() -> Option<PathBuf> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};

    let uid = rustix::process::geteuid().as_raw();
    let ours = std::env::temp_dir().join(format!("handset-{uid}"));
    let make = |folder: &Path| match std::fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => std::fs::symlink_metadata(folder),
    };
    // Anybody may have made a folder of this name in a shared one: ours is a real folder that only we can write to.
    let usable = |folder: &Path| match make(folder) {
        Ok(meta) => meta.is_dir() && meta.uid() == uid && meta.mode() & 0o022 == 0,
        Err(_) => false,
    };
    let lanes = ours.join("lanes");
    (usable(&ours) && usable(&lanes)).then_some(lanes)
}

/// The folder all Handset processes of this user share, made when it is not there.
#[cfg(not(unix))]
#[must_use]
pub fn folder() -> Option<PathBuf> {
    let lanes = std::env::temp_dir().join("handset").join("lanes");
    std::fs::create_dir_all(&lanes).ok().map(|()| lanes)
}
