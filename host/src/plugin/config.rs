//! What the host decides about plugins: where they are, what the operator grants, which built-ins there are.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::grants::GrantOf;
use super::lent::MintElementId;
use crate::process::Program;

/// `[plugins.NAME]` of the host's config.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PluginSettings {
    /// `false` leaves the plugin out; absent is `true`.
    pub enabled: Option<bool>,
    /// What it may do, of what it asks for.
    pub grants: Vec<String>,
    /// What `settings.get` answers.
    pub settings: Map<String, Value>,
    /// Limits that replace the plugin's own.
    pub limits: LimitSettings,
}

/// `[plugins.NAME.limits]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitSettings {
    /// All memories and tables of a call, MiB, 1–512.
    pub memory_mib: Option<u32>,
}

/// What the operator may change while the server runs.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// As [`PluginConfig::dirs`].
    pub dirs: Vec<PathBuf>,
    /// As [`PluginConfig::plugins`].
    pub plugins: BTreeMap<String, PluginSettings>,
}

/// Reads the operator's choices again; `Err` is a sentence naming file, line and member.
pub type Reread = Arc<dyn Fn() -> Result<Choices, String> + Send + Sync>;

/// Everything the plugin room is given at start.
#[derive(Clone)]
pub struct PluginConfig {
    /// Folders to search, in order: each that has a `plugin.toml`, and each sub-folder that has one.
    pub dirs: Vec<PathBuf>,
    /// The operator's word on each plugin, by name.
    pub plugins: BTreeMap<String, PluginSettings>,
    /// Where compiled components are kept; `None`: nowhere.
    pub cache_dir: Option<PathBuf>,
    /// Folders besides the cache, the plugins and the program that no `files` grant may touch, such as the config's.
    pub protected: Vec<PathBuf>,
    /// The group of a tool.
    pub grant_of: GrantOf,
    /// Mints the contract's `elementId` for pure calls; a step's session mints its own.
    pub element_id: MintElementId,
    /// The built-in components.
    pub builtins: Builtins,
    /// What compiles large components ahead of time, and with a cache the built-in ones: run with `plugin precompile
    /// IN OUT`. `None`: this program for large ones, this process for the built-in ones.
    pub precompiler: Option<Program>,
    /// Asked by a reload; `None`: the choices stay as they are.
    pub reread: Option<Reread>,
}

impl fmt::Debug for PluginConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginConfig")
            .field("dirs", &self.dirs)
            .field("plugins", &self.plugins)
            .field("cache_dir", &self.cache_dir)
            .field("builtins", &self.builtins)
            .finish_non_exhaustive()
    }
}

/// The components Handset brings along. They use the same door as everyone else's, have every grant but
/// the ones nobody has, are named without a prefix, and are never quarantined.
#[derive(Clone, Debug)]
pub struct Builtins {
    components: BTreeMap<String, Cow<'static, [u8]>>,
}

impl Builtins {
    /// The components as committed.
    #[must_use]
    pub fn embedded() -> Self {
        let components: [(&str, &'static [u8]); 3] = [
            ("conditions", include_bytes!("../../../plugins/dist/conditions.wasm")),
            ("readiness", include_bytes!("../../../plugins/dist/readiness.wasm")),
            ("steps", include_bytes!("../../../plugins/dist/steps.wasm")),
        ];
        Self { components: components.into_iter().map(|(name, wasm)| (name.to_owned(), Cow::Borrowed(wasm))).collect() }
    }

    /// None at all: what a test starts from.
    #[must_use]
    pub fn none() -> Self {
        Self { components: BTreeMap::new() }
    }

    /// Puts a component in the place of `name`, or adds it.
    #[must_use]
    pub fn replace(mut self, name: impl Into<String>, wasm: Vec<u8>) -> Self {
        self.components.insert(name.into(), Cow::Owned(wasm));
        self
    }

    /// Names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.components.keys().map(String::as_str)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.components.iter().map(|(name, wasm)| (name.as_str(), wasm.as_ref()))
    }
}
