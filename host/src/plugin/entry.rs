//! One plugin as the host knows it, from the moment it is found: whose it is, what it may do, how far it has come.

use std::path::PathBuf;
use std::sync::Arc;

use handset_model::{Code, Failure};
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::component::Loaded;
use super::faults::FaultLog;
use super::grants::Granted;
use super::problem::Problem;

/// How far a plugin has come.
#[derive(Clone)]
pub(super) enum State {
    /// Found; not yet compiled.
    Compiling,
    /// Ready to be called.
    Ready(Arc<Loaded>),
    /// Not taken in.
    Refused(Problem),
    /// Left out by the operator.
    Disabled,
}

/// A plugin in the registry.
pub(super) struct Entry {
    pub(super) name: Arc<str>,
    pub(super) version: String,
    pub(super) builtin: bool,
    pub(super) folder: Option<PathBuf>,
    /// Digest of the component; with `stamp` it tells whether a reload has anything to do.
    pub(super) sha256: String,
    /// The rest that makes it what it is: version, grants, limits, settings.
    pub(super) stamp: String,
    pub(super) granted: Granted,
    pub(super) memory_mib: u32,
    pub(super) faults: Arc<FaultLog>,
    pub(super) state: watch::Sender<State>,
}

impl Entry {
    /// Its state now.
    pub(super) fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// The component, if it is there to be called now.
    ///
    /// # Errors
    /// `PLUGIN_FAULT` saying why not: compiling, refused or disabled.
    pub(super) fn ready(&self) -> Result<Arc<Loaded>, Failure> {
        match self.state() {
            State::Ready(loaded) => Ok(loaded),
            State::Compiling => {
                Err(Failure::new(Code::PluginFault, format!("plugin {} is still being compiled", self.name))
                    .with_retryable(true)
                    .with_remedy("Try again in a few seconds; list_plugins shows when it is ready."))
            }
            State::Refused(problem) => {
                Err(Failure::new(Code::PluginFault, format!("plugin {} was refused: {}", self.name, problem.message))
                    .with_remedy(problem.remedy))
            }
            State::Disabled => {
                Err(Failure::new(Code::PluginFault, format!("plugin {} is disabled in the host's config", self.name))
                    .with_remedy(format!("Set enabled = true under [plugins.{}] in the host's config.", self.name)))
            }
        }
    }

    /// Waits until it is compiled, refused or disabled.
    pub(super) async fn settled(&self) {
        let mut state = self.state.subscribe();
        // An error means that the sender is gone, and it lives in `self`.
        let _ = state.wait_for(|state| !matches!(state, State::Compiling)).await;
    }

    /// `login-flow/sign-in`, or the bare name of what is built in.
    pub(super) fn full_name(&self, thing: &str) -> String {
        if self.builtin { thing.to_owned() } else { format!("{}/{thing}", self.name) }
    }

    /// As `list_plugins` shows it.
    pub(super) fn describe(&self) -> Value {
        let state = self.state();
        let standing = self.faults.standing();
        let mut object = Map::new();
        object.insert("name".into(), json!(&*self.name));
        object.insert("version".into(), json!(self.version));
        object.insert("built_in".into(), json!(self.builtin));
        if let Some(folder) = &self.folder {
            object.insert("folder".into(), json!(folder.display().to_string()));
        }
        let word = match &state {
            State::Ready(_) if standing.quarantined.is_some() => "quarantined",
            State::Ready(_) => "ready",
            State::Compiling => "compiling",
            State::Refused(_) => "refused",
            State::Disabled => "disabled",
        };
        object.insert("state".into(), json!(word));
        if let State::Ready(loaded) = &state {
            object.insert("provides".into(), self.provides(loaded));
        }
        if !self.builtin {
            object.insert("requests".into(), json!(self.granted.requested()));
            object.insert("granted".into(), json!(self.granted.granted()));
        }
        object.insert("limits".into(), json!({ "memory_mib": self.memory_mib }));
        object.insert(
            "faults".into(),
            json!({
                "total": standing.total,
                "in_a_row": standing.in_a_row,
                "last": standing.last.as_ref().map(|fault| fault.failure().message),
                "last_took_ms": standing.last.map(|fault| (fault.took.as_secs_f64() * 10_000.0).round() / 10.0),
                "retry_in_ms": standing.quarantined.map(|left| u64::try_from(left.as_millis()).unwrap_or(u64::MAX)),
            }),
        );
        if let State::Refused(problem) = &state {
            object.insert("problem".into(), json!(problem));
        }
        Value::Object(object)
    }

    fn provides(&self, loaded: &Loaded) -> Value {
        let classifiers: Vec<Value> = loaded
            .provides
            .classifiers
            .iter()
            .map(|one| json!({ "name": self.full_name(&one.name), "summary": one.summary, "probes": one.probes }))
            .collect();
        let predicates: Vec<Value> = loaded
            .provides
            .predicates
            .iter()
            .map(|one| json!({ "name": self.full_name(&one.name), "summary": one.summary, "schema": one.arguments.schema }))
            .collect();
        let steps: Vec<Value> = loaded
            .provides
            .steps
            .iter()
            .map(|one| {
                json!({
                    "name": self.full_name(&one.name), "summary": one.summary,
                    "schema": one.arguments.schema, "grants": one.grants,
                })
            })
            .collect();
        json!({ "classifiers": classifiers, "predicates": predicates, "steps": steps })
    }
}
