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
    /// The rest that makes it what it is.
    pub(super) stamp: Stamp,
    pub(super) granted: Granted,
    pub(super) memory_mib: u32,
    pub(super) faults: Arc<FaultLog>,
    pub(super) state: watch::Sender<State>,
}

/// Digests of what, beside its component, makes a plugin what it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    /// Its manifest.
    pub(super) manifest: String,
    /// Its table in the config.
    pub(super) config: String,
}

impl Entry {
    /// Whether `found` is this very plugin, ready as it is.
    pub(super) fn is_still(&self, found: &Self) -> bool {
        matches!((self.state(), found.state()), (State::Ready(_), State::Compiling))
            && (self.builtin, &self.name, &self.folder) == (found.builtin, &found.name, &found.folder)
            && self.differs(found).is_empty()
    }

    /// In which of its parts `other` differs; of one that was refused, that it was.
    pub(super) fn differs(&self, other: &Self) -> Vec<&'static str> {
        let refused = matches!(self.state(), State::Refused(_)) && self.sha256.is_empty();
        let parts = [
            ("problem", refused),
            ("component", !refused && self.sha256 != other.sha256),
            ("manifest", !refused && self.stamp.manifest != other.stamp.manifest),
            ("config", !refused && self.stamp.config != other.stamp.config),
        ];
        parts.into_iter().filter_map(|(part, differs)| differs.then_some(part)).collect()
    }

    /// Its state in a word: ready, quarantined, compiling, refused or disabled.
    pub(super) fn word(&self) -> &'static str {
        match self.state() {
            State::Ready(_) if self.faults.standing().quarantined.is_some() => "quarantined",
            State::Ready(_) => "ready",
            State::Compiling => "compiling",
            State::Refused(_) => "refused",
            State::Disabled => "disabled",
        }
    }

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

    /// The interfaces it exports; empty until it is ready.
    fn kinds(&self) -> Vec<&'static str> {
        let State::Ready(loaded) = self.state() else { return Vec::new() };
        let kinds = [
            ("readiness", loaded.readiness.is_some()),
            ("condition", loaded.condition.is_some()),
            ("step", loaded.step.is_some()),
        ];
        kinds.into_iter().filter_map(|(kind, there)| there.then_some(kind)).collect()
    }

    /// In short: what an agent chooses by. Schemas, grants and figures are in [`Entry::describe`].
    pub(super) fn summary(&self) -> Value {
        let standing = self.faults.standing();
        let mut object = Map::new();
        object.insert("name".into(), json!(&*self.name));
        object.insert("version".into(), json!(self.version));
        object.insert("built_in".into(), json!(self.builtin));
        object.insert("state".into(), json!(self.word()));
        match self.state() {
            State::Ready(loaded) => {
                let provides = &loaded.provides;
                let mut add = |kind: &str, things: Vec<(&String, &String)>| {
                    if !things.is_empty() {
                        let of = |(name, summary): (&String, &String)| (self.full_name(name), json!(summary));
                        object.insert(kind.into(), Value::Object(things.into_iter().map(of).collect()));
                    }
                };
                add("steps", provides.steps.iter().map(|one| (&one.name, &one.summary)).collect());
                add("predicates", provides.predicates.iter().map(|one| (&one.name, &one.summary)).collect());
                add("classifiers", provides.classifiers.iter().map(|one| (&one.name, &one.summary)).collect());
            }
            State::Refused(problem) => {
                object.insert("problem".into(), json!(problem));
            }
            State::Compiling | State::Disabled => {}
        }
        if let Some(last) = standing.last {
            object.insert("faults".into(), json!({ "total": standing.total, "last": last.failure().message }));
        }
        Value::Object(object)
    }

    /// All that `list_plugins` can tell of it.
    pub(super) fn describe(&self) -> Value {
        let state = self.state();
        let standing = self.faults.standing();
        let mut object = Map::new();
        object.insert("name".into(), json!(&*self.name));
        object.insert("version".into(), json!(self.version));
        object.insert("built_in".into(), json!(self.builtin));
        object.insert("kinds".into(), json!(self.kinds()));
        if let Some(folder) = &self.folder {
            object.insert("folder".into(), json!(folder.display().to_string()));
        }
        object.insert("sha256".into(), json!((!self.sha256.is_empty()).then_some(&self.sha256)));
        object.insert("state".into(), json!(self.word()));
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
        object.insert("calls".into(), json!(standing.calls));
        object.insert("cost".into(), standing.costs);
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
