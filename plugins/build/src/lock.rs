//! `plugins/dist/lock.toml`: what the committed components were made of, and with.

use crate::{Outcome, Places, at};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;

const HEADER: &str =
    "# Written by `cargo plugins build`, compared by `cargo plugins check`. Not for editing.\n\n";

/// The lock.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lock {
    /// Digest of the sources.
    pub(crate) sources: String,
    pub(crate) toolchain: Toolchain,
    /// By path below `dist`.
    pub(crate) components: BTreeMap<String, Component>,
}

/// What made the components.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Toolchain {
    /// `rustup` or `debian`.
    pub(crate) kind: String,
    pub(crate) rustc: String,
    pub(crate) linker: String,
    pub(crate) wit_component: String,
}

/// One committed component.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Component {
    pub(crate) sha256: String,
    pub(crate) size: u64,
}

impl Lock {
    pub(crate) fn read(places: &Places) -> Outcome<Self> {
        let file = places.dist.join("lock.toml");
        let text = fs::read_to_string(&file).map_err(at(&file))?;
        toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))
    }

    pub(crate) fn write(&self, places: &Places) -> Outcome<()> {
        let file = places.dist.join("lock.toml");
        let text = toml::to_string(self).map_err(|error| error.to_string())?;
        fs::write(&file, format!("{HEADER}{text}")).map_err(at(&file))
    }
}

impl std::fmt::Display for Toolchain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            kind,
            rustc,
            linker,
            wit_component,
        } = self;
        write!(
            f,
            "{rustc} ({kind}), {linker}, wit-component {wit_component}"
        )
    }
}

/// The version of wit-component this builder is locked to.
pub(crate) fn wit_component(places: &Places) -> Outcome<String> {
    #[derive(Deserialize)]
    struct CargoLock {
        package: Vec<Package>,
    }
    #[derive(Deserialize)]
    struct Package {
        name: String,
        version: String,
        #[serde(default)]
        dependencies: Vec<String>,
    }
    let file = places.root.join("Cargo.lock");
    let text = fs::read_to_string(&file).map_err(at(&file))?;
    let lock: CargoLock =
        toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    let named = |name: &str| lock.package.iter().find(|package| package.name == name);
    let ours = named(env!("CARGO_PKG_NAME")).ok_or("Cargo.lock does not know this builder")?;
    ours.dependencies
        .iter()
        .find_map(|dependency| {
            let mut words = dependency.split(' ');
            (words.next() == Some("wit-component")).then(|| words.next().map(str::to_owned))
        })
        .map(|version| version.or_else(|| Some(named("wit-component")?.version.clone())))
        .and_then(|version| version)
        .ok_or_else(|| "Cargo.lock does not name wit-component".to_owned())
}
