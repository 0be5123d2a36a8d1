//! A compiled component: what it exports and imports, told from its type, and what it says it provides.

use wasmtime::Store;
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, Instance, InstancePre};

use super::bindings::pure::exports::handset::plugin as pure;
use super::bindings::step::exports::handset::plugin as stepping;
use super::engine::{Engines, Guest};
use super::evidence::{clean, is_kebab};
use super::faults::Fault;
use super::lent::{CallState, end};
use super::limits::{DETAIL, NAME, PROVIDES, Pace};
use super::manifest::{WIT, supported};
use super::problem::Problem;
use super::schema::Arguments;

/// A component ready to be called.
pub(super) struct Loaded {
    pub(super) guest: Guest,
    pub(super) pure: InstancePre<CallState>,
    /// Present when it exports `step`.
    pub(super) stepping: Option<InstancePre<CallState>>,
    pub(super) readiness: Option<pure::readiness::GuestIndices>,
    pub(super) condition: Option<pure::condition::GuestIndices>,
    pub(super) step: Option<pure::step::GuestIndices>,
    pub(super) run: Option<stepping::step::GuestIndices>,
    pub(super) provides: Provides,
}

/// What a component says it provides; asked once.
#[derive(Debug, Default)]
pub(super) struct Provides {
    pub(super) classifiers: Vec<Classifier>,
    pub(super) predicates: Vec<Predicate>,
    pub(super) steps: Vec<Step>,
}

/// A readiness classifier.
#[derive(Debug)]
pub(super) struct Classifier {
    pub(super) name: String,
    pub(super) summary: String,
    pub(super) probes: Vec<String>,
}

/// A condition predicate.
#[derive(Debug)]
pub(super) struct Predicate {
    pub(super) name: String,
    pub(super) summary: String,
    pub(super) arguments: Arguments,
}

/// A journey step type.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) name: String,
    pub(super) summary: String,
    pub(super) arguments: Arguments,
    pub(super) grants: Vec<String>,
}

/// An instance of its own for one pure call.
pub(super) struct PureInstance {
    pub(super) store: Store<CallState>,
    pub(super) instance: Instance,
}

impl Loaded {
    /// Links a component and asks it what it provides.
    ///
    /// # Errors
    /// The [`Problem`] that keeps it out: exports, imports, or a fault while it was asked.
    pub(super) fn new(engines: &Engines, component: &Component, guest: Guest, builtin: bool) -> Result<Self, Problem> {
        check_type(engines, component, &guest.plugin)?;
        let link = |linker: &wasmtime::component::Linker<CallState>| {
            linker.instantiate_pre(component).map_err(|why| {
                Problem::imports(format!(
                    "{}: this host's {WIT} has not all that it imports: {}",
                    guest.plugin,
                    clean(&format!("{why:#}"), 400)
                ))
            })
        };
        let pure = link(&engines.pure)?;
        let readiness =
            exported(component, engines, "readiness", || pure::readiness::GuestIndices::new(&pure), &guest)?;
        let condition =
            exported(component, engines, "condition", || pure::condition::GuestIndices::new(&pure), &guest)?;
        let step = exported(component, engines, "step", || pure::step::GuestIndices::new(&pure), &guest)?;
        let stepping = if step.is_some() { Some(link(&engines.step)?) } else { None };
        let run = stepping.as_ref().and_then(|pre| stepping::step::GuestIndices::new(pre).ok());
        let mut loaded = Self { guest, pure, stepping, readiness, condition, step, run, provides: Provides::default() };
        loaded.provides = loaded.ask(engines, builtin)?;
        Ok(loaded)
    }

    /// A fresh instance with its meter not yet running.
    ///
    /// # Errors
    /// The fault of a start function that trapped, or of a memory too large.
    pub(super) fn instantiate(&self, engines: &Engines, function: &str) -> Result<PureInstance, Fault> {
        let mut store = engines.store(&self.guest, Pace::Pure, None);
        let _running = engines.running();
        match self.pure.instantiate(&mut store) {
            Ok(instance) => Ok(PureInstance { store, instance }),
            Err(error) => Err(Fault::from_error(function, &error, &end(store))),
        }
    }

    /// Runs one pure call on an instance made for it.
    ///
    /// # Errors
    /// The fault that ended it; the store is gone either way.
    pub(super) fn call<T>(
        &self,
        engines: &Engines,
        made: PureInstance,
        function: &str,
        run: impl FnOnce(&mut Store<CallState>, &Instance) -> wasmtime::Result<T>,
    ) -> Result<T, Fault> {
        let PureInstance { mut store, instance } = made;
        store.data_mut().meter.restart();
        store.set_epoch_deadline(1);
        let running = engines.running();
        let done = run(&mut store, &instance);
        drop(running);
        store.data().close_log();
        done.map_err(|error| Fault::from_error(function, &error, &end(store)))
    }

    fn ask(&self, engines: &Engines, builtin: bool) -> Result<Provides, Problem> {
        let broke = |fault: Fault| {
            Problem::fault(format!("{}; it was ended after {} ms", fault.failure().message, fault.took.as_millis()))
        };
        let mut provides = Provides::default();
        if let Some(indices) = &self.readiness {
            let function = "readiness.classifiers";
            let made = self.instantiate(engines, function).map_err(broke)?;
            let listed = self
                .call(engines, made, function, |store, instance| {
                    let guest = indices.load(&mut *store, instance)?;
                    guest.call_classifiers(store)
                })
                .map_err(broke)?;
            self.check_names(builtin, "classifiers", listed.iter().map(|info| info.name.as_str()))?;
            provides.classifiers = listed
                .into_iter()
                .map(|info| Classifier {
                    name: info.name,
                    summary: clean(&info.summary, DETAIL),
                    probes: info.probes.iter().take(PROVIDES).map(|probe| clean(probe, NAME)).collect(),
                })
                .collect();
        }
        if let Some(indices) = &self.condition {
            let function = "condition.predicates";
            let made = self.instantiate(engines, function).map_err(broke)?;
            let listed = self
                .call(engines, made, function, |store, instance| {
                    let guest = indices.load(&mut *store, instance)?;
                    guest.call_predicates(store)
                })
                .map_err(broke)?;
            self.check_names(builtin, "predicates", listed.iter().map(|info| info.name.as_str()))?;
            for info in listed {
                let arguments = self.schema("predicate", &info.name, &info.arguments_schema)?;
                provides.predicates.push(Predicate {
                    name: info.name,
                    summary: clean(&info.summary, DETAIL),
                    arguments,
                });
            }
        }
        if let Some(indices) = &self.step {
            let function = "step.steps";
            let made = self.instantiate(engines, function).map_err(broke)?;
            let listed = self
                .call(engines, made, function, |store, instance| {
                    let guest = indices.load(&mut *store, instance)?;
                    guest.call_steps(store)
                })
                .map_err(broke)?;
            self.check_names(builtin, "steps", listed.iter().map(|info| info.name.as_str()))?;
            for info in listed {
                let arguments = self.schema("step", &info.name, &info.arguments_schema)?;
                let grants = info.grants.iter().take(PROVIDES).map(|grant| clean(grant, 2 * NAME)).collect();
                provides.steps.push(Step { name: info.name, summary: clean(&info.summary, DETAIL), arguments, grants });
            }
        }
        Ok(provides)
    }

    fn schema(&self, kind: &str, name: &str, text: &str) -> Result<Arguments, Problem> {
        Arguments::compile(text)
            .map_err(|why| Problem::provides(format!("{}: {kind} {name}: {}", self.guest.plugin, clean(&why, 300))))
    }

    /// Names are kebab-case and each there once; the built-in ones are the contract's, with underscores.
    fn check_names<'a>(&self, builtin: bool, what: &str, names: impl Iterator<Item = &'a str>) -> Result<(), Problem> {
        let mut seen = std::collections::BTreeSet::new();
        for name in names {
            let shown = clean(name, NAME);
            if !(is_kebab(name) || (builtin && is_kebab(&name.replace('_', "-")))) {
                return Err(Problem::provides(format!(
                    "{}: {what}: {shown:?} is no kebab-case name",
                    self.guest.plugin
                )));
            }
            if !seen.insert(name.to_owned()) {
                return Err(Problem::provides(format!("{}: {what}: {shown} is there twice", self.guest.plugin)));
            }
            if seen.len() > PROVIDES {
                return Err(Problem::provides(format!("{}: {what}: more than {PROVIDES}", self.guest.plugin)));
            }
        }
        Ok(())
    }
}

/// Reads the component's type: which versions of the door it exports, and imports that are neither ours nor WASI's.
fn check_type(engines: &Engines, component: &Component, plugin: &str) -> Result<(), Problem> {
    let kind = component.component_type();
    let ours = |name: &str| {
        name.strip_prefix("handset:plugin/")
            .and_then(|rest| rest.split_once('@'))
            .map(|(_, version)| version.to_owned())
    };
    let check = |name: &str| match ours(name) {
        Some(version) => supported(&format!("handset:plugin@{version}")).map_err(|_| {
            Problem::wit(format!("{plugin}: it was built with {}; this host opens {WIT}", clean(name, 2 * NAME)))
        }),
        None => Ok(()),
    };
    for (name, _) in kind.imports(&engines.engine) {
        check(name)?;
        let wasi = name.starts_with("wasi:") && !name.starts_with("wasi:http/");
        if !wasi && ours(name).is_none() {
            return Err(Problem::imports(format!(
                "{plugin}: it imports {}, which this host does not have",
                clean(name, 2 * NAME)
            )));
        }
    }
    let mut any = false;
    for (name, item) in kind.exports(&engines.engine) {
        check(name)?;
        let known = ["readiness", "condition", "step"].iter().any(|wanted| is_interface(name, wanted));
        any |= known && matches!(item.ty, ComponentItem::ComponentInstance(_));
    }
    if any {
        Ok(())
    } else {
        Err(Problem::no_exports(format!("{plugin}: it exports none of readiness, condition and step")))
    }
}

fn is_interface(export: &str, interface: &str) -> bool {
    export.strip_prefix("handset:plugin/").and_then(|rest| rest.split('@').next()) == Some(interface)
}

/// The indices of an interface, `None` when it is not exported at all.
fn exported<T>(
    component: &Component,
    engines: &Engines,
    interface: &str,
    indices: impl FnOnce() -> wasmtime::Result<T>,
    guest: &Guest,
) -> Result<Option<T>, Problem> {
    let there = component.component_type().exports(&engines.engine).any(|(name, _)| is_interface(name, interface));
    if !there {
        return Ok(None);
    }
    indices().map(Some).map_err(|why| {
        Problem::wit(format!(
            "{}: its {interface} does not fit {WIT}: {}",
            guest.plugin,
            clean(&format!("{why:#}"), 300)
        ))
    })
}
