//! Compiled components on disk: found by what they were compiled from and by whom, checked before they
//! are run, replaced by rename, evicted by unlink, never rewritten.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use wasmtime::Engine;
use wasmtime::component::Component;

use super::manifest::sha256;

/// All entries together; the least recently used goes first. Some twenty JavaScript or Python plugins.
pub(super) const CACHE_BYTES: u64 = 1 << 30;
/// An unfinished file older than this belongs to nobody.
const STALE_PART: Duration = Duration::from_secs(3_600);
const EXTENSION: &str = "cwasm";
/// Hex digits of its content in the name of an entry.
const DIGITS: usize = 32;
const PART: &str = ".part-";

/// A folder of compiled components that only this user can write.
#[derive(Debug)]
pub(super) struct Cache {
    dir: PathBuf,
    limit: u64,
}

impl Cache {
    /// Opens the folder, creating it with mode 0700.
    ///
    /// # Errors
    /// Why it must stay unused: another's, open to others, a link, not creatable. What lies in it is run
    /// as native code.
    pub(super) fn open(dir: &Path, limit: u64) -> Result<Self, String> {
        cache_usable(dir)?;
        let cache = Self { dir: dir.to_path_buf(), limit };
        cache.sweep();
        Ok(cache)
    }

    /// The folder.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The compiled form of `wasm`, if there is a good one. A bad one is removed and is a miss.
    pub(super) fn load(&self, engine: &Engine, wasm_sha256: &str) -> Option<Component> {
        let key = key(engine, wasm_sha256);
        let path = self.entries().find(|entry| name(entry).starts_with(&key))?;
        match read_entry(engine, &path) {
            Ok(component) => {
                // Only the time changes, which is what eviction goes by.
                let touched =
                    fs::File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
                if let Err(why) = touched {
                    tracing::debug!(%why, "a cache entry's time could not be set");
                }
                Some(component)
            }
            Err(why) => {
                tracing::warn!(entry = name(&path), why, "bad cache entry removed");
                let _ = fs::remove_file(&path);
                None
            }
        }
    }

    /// Keeps a compiled component: written beside, synced, renamed into place.
    ///
    /// # Errors
    /// The system's reason; the cache is as before.
    pub(super) fn store(&self, engine: &Engine, wasm_sha256: &str, compiled: &[u8]) -> io::Result<PathBuf> {
        let mut part = tempfile::Builder::new().prefix(PART).tempfile_in(&self.dir)?;
        part.write_all(compiled)?;
        part.as_file().sync_all()?;
        let path = self.dir.join(format!("{}-{}.{EXTENSION}", key(engine, wasm_sha256), &sha256(compiled)[..DIGITS]));
        part.persist(&path).map_err(|failed| failed.error)?;
        self.evict(&path);
        Ok(path)
    }

    /// Unlinks the least recently used until the rest fits; `keep` is what was just written.
    fn evict(&self, keep: &Path) {
        let mut entries: Vec<(SystemTime, u64, PathBuf)> = self
            .entries()
            .filter_map(|path| {
                let meta = fs::symlink_metadata(&path).ok()?;
                Some((meta.modified().ok()?, meta.len(), path))
            })
            .collect();
        entries.sort();
        let mut total: u64 = entries.iter().map(|(_, len, _)| len).sum();
        for (_, len, path) in entries {
            if total <= self.limit {
                return;
            }
            if path != keep && fs::remove_file(&path).is_ok() {
                total -= len;
            }
        }
    }

    /// Removes what a killed writer left.
    fn sweep(&self) {
        for path in self.files().filter(|path| name(path).starts_with(PART)) {
            let age = fs::symlink_metadata(&path).ok().and_then(|meta| meta.modified().ok()?.elapsed().ok());
            if age.is_some_and(|age| age > STALE_PART) {
                let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            }
        }
    }

    fn files(&self) -> impl Iterator<Item = PathBuf> + use<> {
        fs::read_dir(&self.dir).into_iter().flatten().filter_map(|entry| entry.ok().map(|entry| entry.path()))
    }

    fn entries(&self) -> impl Iterator<Item = PathBuf> + use<> {
        self.files().filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION))
    }
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// What was compiled, by which compiler with which settings.
fn key(engine: &Engine, wasm_sha256: &str) -> String {
    let mut hasher = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut hasher);
    format!("{wasm_sha256}-{:016x}", hasher.finish())
}

/// Checks an entry against the digest in its name, then maps it.
fn read_entry(engine: &Engine, path: &Path) -> Result<Component, String> {
    if !fs::symlink_metadata(path).map_err(|why| why.to_string())?.is_file() {
        return Err("not a regular file".to_owned());
    }
    let digest = sha256(&fs::read(path).map_err(|why| why.to_string())?);
    let named = name(path).trim_end_matches(".cwasm").rsplit('-').next().unwrap_or_default();
    if named.len() != DIGITS || !digest.starts_with(named) {
        return Err("its content is not what was written".to_owned());
    }
    deserialize(engine, path).map_err(|why| why.to_string())
}

/// Maps a compiled component that this user's Handset wrote.
#[expect(unsafe_code, reason = "the one place that runs compiled code from a file")]
fn deserialize(engine: &Engine, path: &Path) -> wasmtime::Result<Component> {
    // SAFETY: the file must be unmodified output of `Engine::precompile_component`, now and while it is
    // mapped. It lies in a folder that `check_private` found to belong to this user and to be closed to
    // others; its bytes were just compared with the digest taken when we wrote them; nothing of ours
    // writes into an entry: entries come by rename and go by unlink. wasmtime checks version and settings.
    unsafe { Component::deserialize_file(engine, path) }
}

/// Whether a folder can keep compiled components; made when it is not there.
///
/// # Errors
/// Why not.
pub fn cache_usable(dir: &Path) -> Result<(), String> {
    create_private(dir).map_err(|why| format!("{}: {why}", dir.display()))?;
    check_private(dir)
}

#[cfg(unix)]
fn create_private(dir: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    if dir.is_dir() {
        return Ok(());
    }
    if let Some(parent) = dir.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::DirBuilder::new().mode(0o700).create(dir)
}

#[cfg(unix)]
fn check_private(dir: &Path) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt as _;
    let meta = fs::symlink_metadata(dir).map_err(|why| format!("{}: {why}", dir.display()))?;
    if !meta.is_dir() {
        return Err(format!("{}: not a folder", dir.display()));
    }
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return Err(format!("{}: belongs to another user", dir.display()));
    }
    if meta.mode() & 0o077 != 0 {
        return Err(format!(
            "{}: is open to other users (mode {:o}; 700 is needed)",
            dir.display(),
            meta.mode() & 0o777
        ));
    }
    Ok(())
}

#[cfg(not(unix))]
fn create_private(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn check_private(dir: &Path) -> Result<(), String> {
    Err(format!("{}: who may write it cannot be told on this system", dir.display()))
}
