//! The set of plugins: found and compiled in the background, swapped whole, looked up by name.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use handset_model::{Code, Failure};
use serde_json::Value;
use tokio::sync::{Mutex, Semaphore, watch};
use wasmtime::component::Component;

use super::cache::{CACHE_BYTES, Cache};
use super::component::Loaded;
use super::config::PluginConfig;
use super::discover::{Found, builtins, external};
use super::engine::{Engines, Guest};
use super::entry::{Entry, State};
use super::evidence::clean;
use super::faults::{Fault, FaultKind, Ticket};
use super::limits::{NAME, PURE_CALLS, STEP_CALLS};
use super::names::nearest;
use super::precompile::{IN_PROCESS, here, in_child};
use super::problem::Problem;
use crate::budget::Budget;
use crate::process::Processes;

/// Small components compiled at once, beside the built-in ones: requests need the processor too.
const COMPILING: usize = 2;

/// All plugins of this server, or (see [`Plugins::pinned`]) those of one request.
pub struct Plugins {
    pub(super) shared: Arc<Shared>,
    /// Of one request: the set it began with, from the moment it first needed it.
    pinned: Option<OnceLock<Arc<Set>>>,
}

/// The plugins at one moment.
pub(super) type Set = Vec<Arc<Entry>>;

pub(super) struct Shared {
    config: RwLock<Arc<PluginConfig>>,
    pub(super) engines: Result<Arc<Engines>, Problem>,
    pub(super) pure_calls: Arc<Semaphore>,
    pub(super) step_calls: Arc<Semaphore>,
    cache: Option<Cache>,
    set: RwLock<Arc<Set>>,
    /// The search at start is over: every plugin it found is compiled or refused.
    started: watch::Sender<bool>,
    pub(super) one_search: Mutex<()>,
    one_child: Semaphore,
    /// Compilers.
    processes: Processes,
    compiling: Semaphore,
}

impl fmt::Debug for Plugins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<Arc<str>> = self.set().iter().map(|entry| Arc::clone(&entry.name)).collect();
        f.debug_struct("Plugins").field("names", &names).finish_non_exhaustive()
    }
}

impl Plugins {
    /// Starts finding and compiling, and returns at once: the built-in components first, then the folders.
    /// To be called inside a Tokio runtime.
    #[must_use]
    pub fn start(config: PluginConfig) -> Arc<Self> {
        let engines = Engines::new().map(Arc::new).map_err(|why| Problem::engine(clean(&format!("{why:#}"), 300)));
        let cache = config.cache_dir.as_deref().and_then(|dir| {
            Cache::open(dir, CACHE_BYTES).map_err(|why| tracing::warn!(why, "compiled components are not kept")).ok()
        });
        let found = builtins(&config);
        let shared = Arc::new(Shared {
            engines,
            pure_calls: Arc::new(Semaphore::new(PURE_CALLS)),
            step_calls: Arc::new(Semaphore::new(STEP_CALLS)),
            cache,
            set: RwLock::new(Arc::new(found.iter().map(|one| Arc::clone(&one.entry)).collect())),
            started: watch::Sender::new(false),
            one_search: Mutex::new(()),
            one_child: Semaphore::new(1),
            processes: Processes::default(),
            compiling: Semaphore::new(COMPILING),
            config: RwLock::new(Arc::new(config)),
        });
        let background = Arc::clone(&shared);
        tokio::spawn(async move {
            let _one = background.one_search.lock().await;
            let _over = Started(&background.started);
            let config = background.config();
            background.compile_all(&config, &found).await;
            drop(found);
            background.add_external(&config).await;
        });
        Arc::new(Self { shared, pinned: None })
    }

    /// The plugins of one request: those there are when it first asks for one, or once it has waited for
    /// [`Plugins::ready`], to its end. A reload swaps the set under nobody's feet.
    #[must_use]
    pub fn pinned(&self) -> Arc<Self> {
        Arc::new(Self { shared: Arc::clone(&self.shared), pinned: Some(OnceLock::new()) })
    }

    /// Waits until every plugin found at start is compiled or refused; nobody has to call it before an
    /// answer that needs no plugin. A reload is not waited for: until its set is ready the old one serves.
    ///
    /// # Errors
    /// `TIMEOUT` or `CANCELLED` when the budget ends first.
    pub async fn ready(&self, budget: &Budget) -> Result<(), Failure> {
        let mut started = self.shared.started.subscribe();
        let waited = budget.run(started.wait_for(|over| *over)).await;
        // What was found is this request's from here on.
        let pinned = |_| drop(self.set());
        waited.map(pinned).map_err(|stopped| {
            stopped
                .failure(Code::Timeout, "plugins were being compiled")
                .with_remedy("Try again in a few seconds; list_plugins shows what is still being compiled.")
        })
    }

    /// Waits until the built-in components are compiled or refused.
    ///
    /// # Errors
    /// As [`Plugins::ready`].
    pub async fn builtins_ready(&self, budget: &Budget) -> Result<(), Failure> {
        for entry in self.shared.current().iter().filter(|entry| entry.builtin) {
            budget
                .run(entry.settled())
                .await
                .map_err(|stopped| stopped.failure(Code::Timeout, "the built-in plugins were being compiled"))?;
        }
        Ok(())
    }

    /// Every plugin in full: name, version, built_in, kinds, folder, sha256, state (`ready`, `compiling`, `refused`,
    /// `quarantined`, `disabled`), provides with schemas, requests, granted, limits, faults, calls, cost, problem.
    #[must_use]
    pub fn list(&self) -> Value {
        self.set().iter().map(|entry| entry.describe()).collect()
    }

    /// Every plugin in short: what it provides, a sentence each, and what is wrong with it.
    #[must_use]
    pub fn summaries(&self) -> Value {
        self.set().iter().map(|entry| entry.summary()).collect()
    }

    /// One plugin in full; of two with one name both.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming `name`, with what could be meant.
    pub fn described(&self, name: &str) -> Result<Value, Failure> {
        let set = self.set();
        let found: Vec<Value> = set.iter().filter(|entry| &*entry.name == name).map(|entry| entry.describe()).collect();
        if found.is_empty() {
            let meant = nearest(name, set.iter().map(|entry| &*entry.name)).into_iter().map(Value::from).collect();
            let message = format!("there is no plugin {:?}", clean(name, NAME * 2));
            return Err(Failure::argument("name", message).with_candidates(meant));
        }
        Ok(Value::Array(found))
    }

    /// Ends what is being compiled in a child; nothing can be started from now on.
    pub async fn close(&self, grace: Duration) {
        self.shared.processes.shutdown(grace).await;
    }

    /// Folders that a step type's plugin was granted with `files:DIR`; empty for built-ins.
    #[must_use]
    pub fn file_grants(&self, type_name: &str) -> Vec<PathBuf> {
        let plugin = type_name.split_once('/').map(|(plugin, _)| plugin);
        let set = self.set();
        plugin
            .and_then(|plugin| set.iter().find(|entry| &*entry.name == plugin))
            .map(|entry| entry.granted.folders())
            .unwrap_or_default()
    }

    pub(super) fn set(&self) -> Arc<Set> {
        match &self.pinned {
            Some(pinned) => Arc::clone(pinned.get_or_init(|| self.shared.current())),
            None => self.shared.current(),
        }
    }

    /// Waits until whoever may provide `name` has been compiled.
    pub(super) async fn settle(&self, name: &str) {
        let plugin = name.split_once('/').map(|(plugin, _)| plugin);
        for entry in self.set().iter() {
            if plugin.map_or(entry.builtin, |plugin| &*entry.name == plugin) {
                entry.settled().await;
            }
        }
    }

    /// The plugin that provides `name`, found by `position` among what it provides.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming `member`, with what could be meant; `PLUGIN_FAULT` when the plugin is there and not ready.
    pub(super) fn find(
        &self,
        what: &str,
        member: &str,
        name: &str,
        names_of: fn(&Loaded) -> Vec<&str>,
    ) -> Result<Target, Failure> {
        let set = self.set();
        let (plugin, thing) = match name.split_once('/') {
            Some((plugin, thing)) => (Some(plugin), thing),
            None => (None, name),
        };
        let mut known = Vec::new();
        let mut not_ready = None;
        for entry in set.iter() {
            let addressed = plugin.map_or(entry.builtin, |plugin| !entry.builtin && &*entry.name == plugin);
            match entry.ready() {
                Ok(loaded) => {
                    let names = names_of(&loaded);
                    if let Some(index) = addressed.then(|| names.iter().position(|one| *one == thing)).flatten() {
                        return Ok(Target { entry: Arc::clone(entry), loaded, index });
                    }
                    known.extend(names.into_iter().map(|one| entry.full_name(one)));
                }
                Err(failure) if addressed && not_ready.is_none() => not_ready = Some(failure),
                Err(_) => {}
            }
        }
        if let Some(failure) = not_ready {
            return Err(failure);
        }
        let meant = nearest(name, known.iter().map(String::as_str)).into_iter().map(Value::from).collect();
        Err(Failure::argument(member, format!("there is no {what} {:?}", clean(name, NAME * 2))).with_candidates(meant))
    }
}

/// Something a plugin provides, with the component that does.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) entry: Arc<Entry>,
    pub(super) loaded: Arc<Loaded>,
    /// Its position among what the plugin provides of its kind.
    pub(super) index: usize,
}

impl Target {
    /// A fault of the host in running this plugin.
    pub(super) fn host_fault(&self, function: &str, text: impl Into<String>) -> Fault {
        Fault {
            plugin: self.entry.name.to_string(),
            kind: FaultKind::Host,
            function: function.to_owned(),
            text: text.into(),
            tail: String::new(),
            took: Duration::ZERO,
        }
    }

    /// Lets a call through the quarantine.
    ///
    /// # Errors
    /// `PLUGIN_FAULT` saying how long it lasts and what the last fault was.
    pub(super) fn admit(&self) -> Result<Ticket, Failure> {
        self.entry.faults.admit().map_err(|left: Duration| {
            let last = self.entry.faults.standing().last.map(|fault| fault.failure().message).unwrap_or_default();
            Failure::new(
                Code::PluginFault,
                format!(
                    "plugin {} is quarantined for {} ms more; its last fault: {last}",
                    self.entry.name,
                    left.as_millis()
                ),
            )
            .with_remedy("Fix the plugin and call reload_plugins, or wait until one call may try again.")
        })
    }
}

/// Tells that the search at start is over, also when its task is dropped.
struct Started<'a>(&'a watch::Sender<bool>);

impl Drop for Started<'_> {
    fn drop(&mut self) {
        self.0.send_replace(true);
    }
}

impl Shared {
    pub(super) fn current(&self) -> Arc<Set> {
        Arc::clone(&self.set.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn config(&self) -> Arc<PluginConfig> {
        Arc::clone(&self.config.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn publish(&self, set: Set) {
        *self.set.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(set);
    }

    pub(super) fn choose(&self, config: Arc<PluginConfig>) {
        *self.config.write().unwrap_or_else(PoisonError::into_inner) = config;
    }

    /// Looks through the folders at start: what is found is listed as compiling at once.
    async fn add_external(self: &Arc<Self>, config: &Arc<PluginConfig>) {
        let old = self.current();
        let found = search(Arc::clone(config), &old).await;
        self.publish(old.iter().cloned().chain(found.iter().map(|one| Arc::clone(&one.entry))).collect());
        self.compile_all(config, &found).await;
    }

    pub(super) async fn compile_all(self: &Arc<Self>, config: &PluginConfig, found: &[Found]) {
        futures::future::join_all(found.iter().map(|one| async {
            if matches!(one.entry.state(), State::Compiling) {
                let state = match self.compile(config, one).await {
                    Ok(loaded) => State::Ready(Arc::new(loaded)),
                    Err(problem) => {
                        tracing::warn!(
                            plugin = &*one.entry.name,
                            code = problem.code,
                            problem.message,
                            "plugin refused"
                        );
                        State::Refused(problem)
                    }
                };
                one.entry.state.send_replace(state);
            }
        }))
        .await;
    }

    async fn compile(self: &Arc<Self>, config: &PluginConfig, found: &Found) -> Result<Loaded, Problem> {
        let engines = Arc::clone(self.engines.as_ref().map_err(Clone::clone)?);
        let entry = &found.entry;
        let shown = entry.folder.as_ref().map_or_else(|| entry.name.to_string(), |folder| folder.display().to_string());
        let broke = |why: tokio::task::JoinError| Problem::compile(format!("{}: {why}", found.entry.name));
        let closed = |_| Problem::compile("the server is ending");
        // Compiling leaves tens of megabytes behind. A child takes them with it; what it made comes through the cache.
        let by_child = config.precompiler.is_some() && self.cache.is_some();
        let apart = found.wasm.len() > IN_PROCESS || (entry.builtin && by_child);
        let _turn = match (entry.builtin, apart) {
            (true, _) => None,
            (false, true) => Some(self.one_child.acquire().await.map_err(closed)?),
            (false, false) => Some(self.compiling.acquire().await.map_err(closed)?),
        };
        let (shared, wasm, digest) = (Arc::clone(self), found.wasm.clone(), entry.sha256.clone());
        let (builtin, in_engine) = (entry.builtin, Arc::clone(&engines));
        let (runtime, precompiler) = (tokio::runtime::Handle::current(), config.precompiler.clone());
        // On a blocking thread for its files of tens of megabytes; a child is waited for asynchronously.
        let compile = move || -> Result<Component, Problem> {
            let (engine, cache) = (&in_engine.engine, shared.cache.as_ref());
            if let Some(component) = cache.and_then(|cache| cache.load(engine, &digest)) {
                return Ok(component);
            }
            if apart {
                let child = in_child(&shared.processes, engine, cache, precompiler.as_ref(), &wasm, &digest, &shown);
                match runtime.block_on(child) {
                    // What we embed ourselves must be there wherever this process can compile it.
                    Err(problem) if builtin => tracing::debug!(why = problem.message, "compiling in this process"),
                    done => return done,
                }
            }
            here(engine, cache, &wasm, &digest, &shown)
        };
        let component = tokio::task::spawn_blocking(compile).await.map_err(broke)??;
        let settings = config.plugins.get(&*entry.name).map(|settings| settings.settings.clone()).unwrap_or_default();
        let guest = Guest {
            plugin: Arc::clone(&entry.name),
            settings: Value::Object(settings).to_string().into(),
            memory_mib: entry.memory_mib,
            mint: Arc::clone(&config.element_id),
        };
        let _turn = self.pure_calls.acquire().await.map_err(closed)?;
        tokio::task::spawn_blocking(move || Loaded::new(&engines, &component, guest, builtin)).await.map_err(broke)?
    }
}

/// Looks through the folders, off the reactor; the names of what is built in are taken.
pub(super) async fn search(config: Arc<PluginConfig>, set: &Set) -> Vec<Found> {
    let taken: Vec<Arc<str>> = set.iter().filter(|entry| entry.builtin).map(|entry| Arc::clone(&entry.name)).collect();
    let searched = tokio::task::spawn_blocking(move || external(&config, taken.into_iter())).await;
    searched.unwrap_or_else(|why| {
        tracing::error!(%why, "looking for plugins broke");
        Vec::new()
    })
}
