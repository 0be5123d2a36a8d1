//! Everything that lives as long as the server.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use handset_model::snapshot::{DeviceKey, HistoryLimits};
use handset_model::{Code, Failure};

use super::streams::Streams;
use super::{Measures, Tool};
use crate::budget::Budget;
use crate::clock::Clock;
use crate::device::{Adapter, Lanes, Listed, Screens, Session, Target, resolve};
use crate::plugin::{Builtins, Choices, PluginConfig, Plugins, Reread};
use crate::process::{Processes, Program};
use crate::request::Request;

/// What adapters and house share: children, clock, and the session's id.
#[derive(Clone, Debug)]
pub struct Foundation {
    /// Spawns and supervises.
    pub processes: Processes,
    /// Stamps observations.
    pub clock: Clock,
    /// Random, once per process.
    pub session_id: Arc<str>,
}

impl Default for Foundation {
    fn default() -> Self {
        Self { processes: Processes::default(), clock: Clock::default(), session_id: random_id().into() }
    }
}

/// What the operator chose.
pub struct HouseConfig {
    /// One per platform, built by the front over the same foundation.
    pub adapters: Vec<Arc<dyn Adapter>>,
    /// What they were built over.
    pub foundation: Foundation,
    /// Folders of plugins, and `[plugins.NAME]` of the config.
    pub plugins: Choices,
    /// Reads these again.
    pub reread: Option<Reread>,
    /// Where compiled components are kept.
    pub cache_dir: Option<PathBuf>,
    /// Folders no plugin's grant may touch, the config's own among them.
    pub protected: Vec<PathBuf>,
    /// The built-in components.
    pub builtins: Builtins,
    /// How much of each device is remembered.
    pub limits: HistoryLimits,
    /// Where the record of each request is written, if anywhere.
    pub measures: Option<Measures>,
    /// The one folder that screenshots may be written to, if any.
    pub screenshots: Option<PathBuf>,
}

/// The server's state: adapters, lanes, screens, plugins. A clone is the same house.
#[derive(Clone, Debug)]
pub struct House {
    /// One per platform.
    pub adapters: Vec<Arc<dyn Adapter>>,
    /// One per device.
    pub lanes: Arc<Lanes>,
    /// Remembered screens.
    pub screens: Arc<Screens>,
    /// Components.
    pub plugins: Arc<Plugins>,
    /// Children.
    pub processes: Processes,
    /// Log streams.
    pub streams: Arc<Streams>,
    /// The one folder that screenshots may be written to, if any.
    pub screenshots: Option<PathBuf>,
    measures: Option<Arc<Measures>>,
}

impl House {
    /// Opens the house: spawns nothing, compiles in the background.
    #[must_use]
    pub fn open(config: HouseConfig) -> Arc<Self> {
        let Foundation { processes, clock, session_id } = config.foundation;
        let screens = Arc::new(Screens::new(session_id, config.limits, clock));
        let minted = Arc::clone(&screens);
        let plugins = Plugins::start(PluginConfig {
            dirs: config.plugins.dirs,
            plugins: config.plugins.plugins,
            reread: config.reread,
            cache_dir: config.cache_dir,
            grant_of: Arc::new(super::grant_of),
            element_id: Arc::new(move |observation, index| minted.element_id(observation, index)),
            builtins: config.builtins,
            protected: config.protected,
            precompiler: std::env::current_exe().ok().map(Program::new),
        });
        let (adapters, measures, screenshots) = (config.adapters, config.measures.map(Arc::new), config.screenshots);
        Arc::new(Self {
            adapters,
            lanes: Arc::new(Lanes::advisory()),
            screens,
            plugins,
            processes,
            streams: Arc::default(),
            screenshots,
            measures,
        })
    }

    /// The house as one request sees it: its plugins stay those it began with.
    #[must_use]
    pub fn for_request(&self) -> Arc<Self> {
        Arc::new(Self { plugins: self.plugins.pinned(), ..self.clone() })
    }

    /// Resolves and pins the one device a request means, and forgets those that are gone.
    ///
    /// # Errors
    /// Contract §2; `UNSUPPORTED` for a platform without an adapter.
    pub async fn session(&self, target: &Target, budget: &Budget) -> Result<Session, Failure> {
        if let Some(platform) = &target.platform {
            self.supported(platform)?;
        }
        let (adapter, pinned) = match resolve(&self.adapters, target, budget).await {
            Ok(found) => found,
            Err(failure) => {
                self.lose(target, &failure);
                return Err(failure);
            }
        };
        let lane = self.lanes.lane(&pinned.key);
        Ok(Session { adapter, pinned, lane, screens: Arc::clone(&self.screens) })
    }

    /// A device that cannot be resolved is gone or offline: what was remembered of it must not guard anything later.
    fn lose(&self, target: &Target, failure: &Failure) {
        for adapter in &self.adapters {
            let platform = adapter.platform();
            match &target.device_id {
                Some(id) => {
                    self.screens.lost(&DeviceKey { platform, id: id.clone() }, failure);
                }
                // None was usable at all.
                None if matches!(failure.code, Code::DeviceNotFound | Code::DeviceOffline) => {
                    self.screens.keep_only(platform, &[])
                }
                None => {}
            }
        }
    }

    /// The adapter of a platform.
    ///
    /// # Errors
    /// `UNSUPPORTED` for a platform without one.
    pub fn adapter(&self, platform: &str) -> Result<&Arc<dyn Adapter>, Failure> {
        self.supported(platform)?;
        self.adapters
            .iter()
            .find(|adapter| adapter.platform() == platform)
            .ok_or_else(|| Failure::new(Code::Unsupported, format!("{platform} needs an adapter")))
    }

    fn supported(&self, platform: &str) -> Result<(), Failure> {
        if self.adapters.iter().any(|adapter| adapter.platform() == platform) {
            return Ok(());
        }
        Err(Failure::new(Code::Unsupported, format!("{platform} needs an adapter that this build does not have")))
    }

    /// All devices of all platforms, each state; those gone are forgotten.
    ///
    /// # Errors
    /// The listing's failure, when no platform could be listed.
    pub async fn devices(&self, platform: Option<&str>, budget: &Budget) -> Result<Vec<Listed>, Failure> {
        let mut all = Vec::new();
        let mut failed = None;
        if let Some(platform) = platform {
            self.supported(platform)?;
        }
        for adapter in self.adapters.iter().filter(|adapter| platform.is_none_or(|wanted| wanted == adapter.platform()))
        {
            match adapter.list(budget).await {
                Ok(listed) => {
                    let usable: Vec<DeviceKey> = listed
                        .iter()
                        .filter(|device| device.usable)
                        .map(|device| DeviceKey { platform: device.platform, id: device.id.clone() })
                        .collect();
                    self.screens.keep_only(adapter.platform(), &usable);
                    all.extend(listed);
                }
                Err(failure) => failed = Some(failure),
            }
        }
        match failed {
            Some(failure) if all.is_empty() => Err(failure),
            _ => Ok(all),
        }
    }

    /// Writes down what an answered request cost, where the operator asked for it.
    pub fn measured(&self, tool: &Tool, success: bool, code: Option<Code>, request: &Request) {
        if let Some(measures) = &self.measures {
            measures.write(tool.name, success, code, request);
        }
    }

    /// Ends every child; nothing of ours outlives the server.
    pub async fn close(&self, grace: Duration) {
        tokio::join!(self.processes.shutdown(grace), self.plugins.close(grace));
    }
}

/// 128 random bits from the standard library's per-process hash keys and the clock, hashed.
fn random_id() -> String {
    use std::hash::{BuildHasher, Hasher, RandomState};
    let word = || {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u128(
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos()),
        );
        hasher.write_u32(std::process::id());
        hasher.finish()
    };
    format!("{:016x}{:016x}", word(), word())
}
