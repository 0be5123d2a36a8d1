//! Finding plugins: the built-in set, then every folder in order; what is wrong with one is said, never fatal.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::watch;

use super::config::{PluginConfig, PluginSettings};
use super::entry::{Entry, Stamp, State};
use super::evidence::clean;
use super::faults::FaultLog;
use super::grants::{Granted, check_files, parse_all};
use super::limits::{MAX_MEMORY_MIB, MEMORY_MIB, NAME};
use super::manifest::{MANIFEST, Package, read, sha256};
use super::precompile::check_kind;
use super::problem::Problem;

/// A plugin that was found, and the bytes to compile when it may go on.
pub(super) struct Found {
    pub(super) entry: Arc<Entry>,
    pub(super) wasm: Vec<u8>,
}

/// The built-in components.
pub(super) fn builtins(config: &PluginConfig) -> Vec<Found> {
    config
        .builtins
        .iter()
        .map(|(name, wasm)| {
            let settings = config.plugins.get(name).cloned().unwrap_or_default();
            let name: Arc<str> = Arc::from(name);
            let (memory_mib, limit) = memory(None, &settings, &name);
            let state = if settings.enabled == Some(false) {
                State::Disabled
            } else {
                match check_kind(wasm, &name).and(limit) {
                    Ok(()) => State::Compiling,
                    Err(problem) => State::Refused(problem),
                }
            };
            let entry = Entry {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                builtin: true,
                folder: None,
                sha256: sha256(wasm),
                stamp: stamp("", &settings),
                granted: Granted::everything(Arc::clone(&name), Arc::clone(&config.grant_of)),
                memory_mib,
                faults: Arc::new(FaultLog::new(true)),
                state: watch::Sender::new(state),
                name,
            };
            Found { entry: Arc::new(entry), wasm: wasm.to_vec() }
        })
        .collect()
}

/// Third parties' plugins in the configured folders, in order; a name that is taken refuses the later one.
pub(super) fn external(config: &PluginConfig, taken: impl Iterator<Item = Arc<str>>) -> Vec<Found> {
    let mut taken: BTreeSet<Arc<str>> = taken.collect();
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for dir in &config.dirs {
        for folder in folders(dir) {
            if !seen.insert(folder.canonicalize().unwrap_or_else(|_| folder.clone())) {
                continue;
            }
            let one = take_in(config, &folder, &taken);
            taken.insert(Arc::clone(&one.entry.name));
            if let State::Refused(problem) = one.entry.state() {
                tracing::warn!(plugin = &*one.entry.name, code = problem.code, problem.message, "plugin refused");
            }
            found.push(one);
        }
    }
    found
}

/// The folder itself when it is a plugin, else its sub-folders that are, by name.
fn folders(dir: &Path) -> Vec<PathBuf> {
    if dir.join(MANIFEST).exists() {
        return vec![dir.to_path_buf()];
    }
    let Ok(entries) = std::fs::read_dir(dir) else {
        tracing::debug!(dir = %dir.display(), "no plugin folder there");
        return Vec::new();
    };
    let mut folders: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.join(MANIFEST).exists()).collect();
    folders.sort();
    folders
}

fn take_in(config: &PluginConfig, folder: &Path, taken: &BTreeSet<Arc<str>>) -> Found {
    let (name, read) = match read(folder) {
        Ok(package) => (package.manifest.name.clone(), Ok(package)),
        Err((name, problem)) => (name.unwrap_or_default(), Err(problem)),
    };
    let folder_name = || clean(&folder.file_name().unwrap_or_default().to_string_lossy(), NAME);
    let name: Arc<str> = if name.is_empty() { folder_name().into() } else { clean(&name, NAME).into() };
    let settings = config.plugins.get(&*name).cloned().unwrap_or_default();
    if taken.contains(&name) {
        let problem =
            Problem::duplicate(format!("{}: the name {name} is taken already", folder.join(MANIFEST).display()));
        return refused(config, folder, name, problem);
    }
    let package = match read {
        Ok(package) => package,
        Err(problem) => return refused(config, folder, name, problem),
    };
    match permitted(config, folder, &name, &package, &settings) {
        Ok((granted, memory_mib)) => {
            let disabled = settings.enabled == Some(false);
            let manifest = &package.manifest;
            let entry = Entry {
                version: manifest.version.clone(),
                builtin: false,
                folder: Some(folder.to_path_buf()),
                sha256: manifest.sha256.clone(),
                stamp: stamp(&format!("{manifest:?}"), &settings),
                granted,
                memory_mib,
                faults: Arc::new(FaultLog::new(false)),
                state: watch::Sender::new(if disabled { State::Disabled } else { State::Compiling }),
                name,
            };
            Found { entry: Arc::new(entry), wasm: package.wasm }
        }
        Err(problem) => refused(config, folder, name, problem),
    }
}

fn permitted(
    config: &PluginConfig,
    folder: &Path,
    name: &Arc<str>,
    package: &Package,
    settings: &PluginSettings,
) -> Result<(Granted, u32), Problem> {
    check_kind(&package.wasm, &package.component.display().to_string())?;
    let place = format!("{}: [requests] grants", folder.join(MANIFEST).display());
    let requested = parse_all(&package.manifest.requests.grants, &place, &config.grant_of)?;
    let given = parse_all(&settings.grants, &format!("the host's config: [plugins.{name}] grants"), &config.grant_of)?;
    check_files(&given, &protected(config))?;
    let (memory_mib, limit) = memory(package.manifest.limits.memory_mib, settings, name);
    limit?;
    Ok((Granted::only(Arc::clone(name), requested, &given, Arc::clone(&config.grant_of)), memory_mib))
}

/// Folders no `files` grant may touch.
fn protected(config: &PluginConfig) -> Vec<PathBuf> {
    let mut kept = config.protected.clone();
    kept.extend(config.dirs.iter().cloned());
    kept.extend(config.cache_dir.clone());
    kept.extend(std::env::current_exe().ok().and_then(|program| program.parent().map(Path::to_path_buf)));
    kept
}

/// The operator's word, else the manifest's within the default.
fn memory(manifest: Option<u32>, settings: &PluginSettings, name: &str) -> (u32, Result<(), Problem>) {
    match settings.limits.memory_mib {
        Some(mib) if (1..=MAX_MEMORY_MIB).contains(&mib) => (mib, Ok(())),
        Some(_) => (
            MEMORY_MIB,
            Err(Problem::limit(format!("the host's config: [plugins.{name}.limits] memory_mib: out of range"))),
        ),
        None => (manifest.map_or(MEMORY_MIB, |mib| mib.min(MEMORY_MIB)), Ok(())),
    }
}

fn refused(config: &PluginConfig, folder: &Path, name: Arc<str>, problem: Problem) -> Found {
    let entry = Entry {
        version: String::new(),
        builtin: false,
        folder: Some(folder.to_path_buf()),
        sha256: String::new(),
        stamp: Stamp::default(),
        granted: Granted::only(Arc::clone(&name), BTreeSet::new(), &BTreeSet::new(), Arc::clone(&config.grant_of)),
        memory_mib: MEMORY_MIB,
        faults: Arc::new(FaultLog::new(false)),
        state: watch::Sender::new(State::Refused(problem)),
        name,
    };
    Found { entry: Arc::new(entry), wasm: Vec::new() }
}

fn stamp(manifest: &str, settings: &PluginSettings) -> Stamp {
    Stamp { manifest: sha256(manifest.as_bytes()), config: sha256(format!("{settings:?}").as_bytes()) }
}
