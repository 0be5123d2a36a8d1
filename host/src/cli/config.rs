//! The operator's choices: command line first, then environment, then the config file.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use super::Serve;
use crate::adapter::android::{Android, AndroidConfig};
use crate::plugin::{Builtins, Choices, PluginSettings};
use crate::process::Program;
use crate::tools::{Foundation, HouseConfig, Measures};

/// `handset/config.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Folders searched for plugins.
    #[serde(default)]
    pub plugin_dirs: Vec<PathBuf>,
    /// `[plugins.NAME]`: enabled, grants, settings, limits.
    #[serde(default)]
    pub plugins: BTreeMap<String, PluginSettings>,
    /// `[android]`.
    #[serde(default)]
    pub android: AndroidSection,
    /// `[screenshots]`.
    #[serde(default)]
    pub screenshots: ScreenshotSection,
}

/// `[screenshots]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScreenshotSection {
    /// The one folder that `savePath` of capture_screenshot may write to; without it none may be written.
    pub folder: Option<PathBuf>,
}

/// `[android]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AndroidSection {
    /// The adb to run: a program, or a program and its leading arguments.
    pub adb: Option<AdbChoice>,
}

/// One word or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum AdbChoice {
    /// A program.
    Program(PathBuf),
    /// A program and leading arguments.
    Words(Vec<String>),
}

/// What is wrong with the config.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// It could not be read.
    #[error("{path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// It is not the TOML it should be.
    #[error("{path}: {source}")]
    Parse {
        /// The file.
        path: PathBuf,
        /// Where and what.
        source: Box<toml::de::Error>,
    },
    /// A `--builtin` that names no component.
    #[error("--builtin {0}: {1}")]
    Builtin(String, String),
    /// A `--measure` that cannot be written.
    #[error("--measure {path}: {source}")]
    Measure {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

impl Config {
    /// Reads the named file, or the user's own where there is one.
    ///
    /// # Errors
    /// [`ConfigError`]; a missing file is an error only when it was named.
    pub fn load(named: Option<&Path>) -> Result<Self, ConfigError> {
        let Some(path) = config_path(named) else { return Ok(Self::default()) };
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(ConfigError::Read { path, source }),
        };
        toml::from_str(&text).map_err(|source| ConfigError::Parse { path, source: Box::new(source) })
    }
}

/// The file that is read, whether it is there or not.
pub(super) fn config_path(named: Option<&Path>) -> Option<PathBuf> {
    named.map(Path::to_owned).or_else(|| folder("XDG_CONFIG_HOME", ".config").map(|dir| dir.join("config.toml")))
}

/// Handset's own folder under one of the user's base folders.
pub(super) fn folder(variable: &str, fallback: &str) -> Option<PathBuf> {
    let base = match std::env::var_os(variable).filter(|value| !value.is_empty()) {
        Some(base) => PathBuf::from(base),
        None => {
            let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"))?;
            PathBuf::from(home).join(fallback)
        }
    };
    Some(base.join("handset"))
}

/// Everything the house needs, from all sources.
///
/// # Errors
/// [`ConfigError`].
pub(super) fn house(options: &Serve, adb: Option<Program>) -> Result<HouseConfig, ConfigError> {
    house_of(options, Config::load(options.config.as_deref())?, adb)
}

/// As [`house`], with a config that was read already.
///
/// # Errors
/// [`ConfigError`].
pub(super) fn house_of(options: &Serve, mut config: Config, adb: Option<Program>) -> Result<HouseConfig, ConfigError> {
    let plugins = choices(options, &mut config);
    let again = options.clone();
    let reread = move || {
        let mut config = Config::load(again.config.as_deref()).map_err(|error| error.to_string())?;
        Ok(choices(&again, &mut config))
    };
    let mut builtins = Builtins::embedded();
    for replaced in &options.builtin {
        let broken = |why: &str| ConfigError::Builtin(replaced.clone(), why.to_owned());
        let (name, file) = replaced.split_once('=').ok_or_else(|| broken("expected NAME=FILE"))?;
        let bytes = std::fs::read(file).map_err(|error| broken(&error.to_string()))?;
        if !builtins.names().any(|known| known == name) {
            return Err(broken("there is no built-in component of that name"));
        }
        builtins = builtins.replace(name, bytes);
    }
    let mut limits = handset_model::snapshot::HistoryLimits::default();
    if let Some(age) = options.history_age_ms {
        #[expect(clippy::cast_precision_loss, reason = "milliseconds of a test")]
        let age = age as f64;
        limits.max_age_ms = age;
    }
    let foundation = Foundation::default();
    // Which of the user's devices the user means says nothing of a simulated phone.
    let env_serial = std::env::var("ANDROID_SERIAL").ok().filter(|serial| !serial.is_empty() && adb.is_none());
    let android = Android::new(AndroidConfig {
        adb: adb.unwrap_or_else(|| choose_adb(options, config.android.adb)),
        processes: foundation.processes.clone(),
        session: foundation.session_id.to_string(),
        clock: foundation.clock,
        env_serial,
    });
    let measures = match &options.measure {
        Some(path) => Some(Measures::open(path).map_err(|source| ConfigError::Measure { path: path.clone(), source })?),
        None => None,
    };
    Ok(HouseConfig {
        measures,
        screenshots: config.screenshots.folder,
        adapters: vec![Arc::new(android)],
        foundation,
        plugins,
        reread: Some(Arc::new(reread)),
        cache_dir: if options.no_cache {
            None
        } else {
            folder("XDG_CACHE_HOME", ".cache").map(|dir| dir.join("components"))
        },
        builtins,
        protected: config_path(options.config.as_deref())
            .and_then(|path| path.parent().map(Path::to_owned))
            .into_iter()
            .collect(),
        limits,
    })
}

/// What is read again by a reload.
fn choices(options: &Serve, config: &mut Config) -> Choices {
    let mut dirs = options.plugins.clone();
    dirs.append(&mut config.plugin_dirs);
    dirs.extend(folder("XDG_DATA_HOME", ".local/share").map(|dir| dir.join("plugins")).filter(|dir| dir.is_dir()));
    Choices { dirs, plugins: std::mem::take(&mut config.plugins) }
}

fn choose_adb(options: &Serve, configured: Option<AdbChoice>) -> Program {
    let plain = |path: PathBuf, leading: Vec<OsString>| Program { path, leading, env: Vec::new() };
    if let Some(path) = &options.adb {
        return plain(path.clone(), options.adb_arg.clone());
    }
    if let Some(path) = std::env::var_os("HANDSET_ADB").filter(|path| !path.is_empty()) {
        return plain(path.into(), Vec::new());
    }
    match configured {
        Some(AdbChoice::Program(path)) => plain(path, Vec::new()),
        Some(AdbChoice::Words(words)) => {
            let mut words = words.into_iter();
            plain(words.next().unwrap_or_else(|| "adb".to_owned()).into(), words.map(OsString::from).collect())
        }
        None => plain("adb".into(), Vec::new()),
    }
}
