//! Conditions: a predicate validated before any device work, prepared before the guard's read, asked after it.

use std::sync::Arc;
use std::time::Instant;

use handset_model::Failure;
use handset_model::snapshot::Observation;
use serde_json::Value;

use super::bindings::pure::exports::handset::plugin::condition;
use super::component::PureInstance;
use super::evidence::{check_all, text};
use super::faults::{Breach, Ticket};
use super::lent::Comparison;
use super::ops::{EvidenceNote, PendingInput, TimelineData};
use super::pure::{Answers, bounded, first_violation, millis, no_engine, no_interface};
use super::registry::{Plugins, Shared, Target};

/// A predicate's word on a pending input.
#[derive(Clone, Debug, PartialEq)]
pub enum CheckVerdict {
    /// The input may go, as far as this predicate is concerned.
    Holds,
    /// It may not, and why.
    Fails(String),
    /// It cannot be decided, and why.
    CannotTell(String),
    /// The predicate broke.
    Fault(Failure),
}

/// What came of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckOutcome {
    /// The word.
    pub verdict: CheckVerdict,
    /// Why, checked.
    pub evidence: Vec<EvidenceNote>,
    /// The call, milliseconds.
    pub elapsed_ms: f64,
}

/// A predicate with its instance made, so that nothing but the call is left to do after the guard's read.
pub struct PreparedCheck {
    plugins: Arc<Shared>,
    target: Target,
    ticket: Ticket,
    made: PureInstance,
    arguments: String,
}

impl std::fmt::Debug for PreparedCheck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PreparedCheck").field("predicate", &self.predicate()).finish_non_exhaustive()
    }
}

impl Plugins {
    /// Checks a predicate's name and arguments: its schema, then its own word. No device is touched.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the member of `args` (none: the whole), or `predicate` with what could be
    /// meant; `PLUGIN_FAULT`.
    pub async fn validate_predicate(&self, name: &str, args: &Value) -> Result<(), Failure> {
        let target = self.predicate(name).await?;
        let Some(predicate) = target.loaded.provides.predicates.get(target.index) else { return Ok(()) };
        predicate.arguments.check(args)?;
        let (local, arguments) = (predicate.name.clone(), args.to_string());
        let violations = self
            .pure_call(
                target,
                format!("condition.validate {local}"),
                Answers::Beforehand,
                move |loaded, store, instance| {
                    let Some(indices) = &loaded.condition else { return Err(no_interface("condition")) };
                    let guest = indices.load(&mut *store, instance)?;
                    let violations = guest.call_validate(store, &local, &arguments)?;
                    bounded(violations)
                },
            )
            .await?;
        first_violation(violations)
    }

    /// Makes the instance that will decide, before the guard's read. Validate first.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an unknown predicate; `PLUGIN_FAULT`, also while quarantined.
    pub async fn prepare_check(&self, name: &str, args: Value) -> Result<PreparedCheck, Failure> {
        let target = self.predicate(name).await?;
        let ticket = target.admit()?;
        let engines = Arc::clone(self.shared.engines.as_ref().map_err(no_engine)?);
        let loaded = Arc::clone(&target.loaded);
        let function = format!("condition.check {name}");
        let on_blocking = {
            let function = function.clone();
            move || loaded.instantiate(&engines, &function)
        };
        let made = match self.on_pool(&self.shared.pure_calls, on_blocking).await {
            Ok(made) => made,
            Err(broke) => Err(target.host_fault(&function, broke)),
        };
        match made {
            Ok(made) => Ok(PreparedCheck {
                plugins: Arc::clone(&self.shared),
                target,
                ticket,
                made,
                arguments: args.to_string(),
            }),
            Err(fault) => {
                ticket.faulted(&fault);
                Err(fault.failure())
            }
        }
    }

    async fn predicate(&self, name: &str) -> Result<Target, Failure> {
        self.settle(name).await;
        self.find("predicate", "predicate", name, |loaded| {
            loaded.provides.predicates.iter().map(|one| one.name.as_str()).collect()
        })
    }
}

impl PreparedCheck {
    /// The predicate's full name.
    #[must_use]
    pub fn predicate(&self) -> String {
        let name = self.target.loaded.provides.predicates.get(self.target.index).map_or("", |one| one.name.as_str());
        self.target.entry.full_name(name)
    }

    /// Decides. Synchronous, at most one second of it; to be called from a blocking thread.
    #[must_use]
    pub fn check(
        self,
        current: Arc<Observation>,
        baseline: Option<Arc<Observation>>,
        pending: PendingInput,
        history: TimelineData,
    ) -> CheckOutcome {
        let started = Instant::now();
        let full_name = self.predicate();
        let Self { plugins, target, ticket, made, arguments } = self;
        let loaded = &target.loaded;
        let local = loaded.provides.predicates.get(target.index).map_or("", |one| one.name.as_str());
        let function = format!("condition.check {local}");
        let engines = match &plugins.engines {
            Ok(engines) => engines,
            Err(problem) => return CheckOutcome::fault(no_engine(problem), started),
        };
        let asked = loaded.call(engines, made, &function, |store, instance| {
            let Some(indices) = &loaded.condition else { return Err(no_interface("condition")) };
            let state = store.data_mut();
            for screen in history.observations.iter().chain(&baseline).chain([&current]) {
                state.lent.add(screen);
            }
            let handle = state.table.push(Comparison { current, baseline, pending, history: Arc::new(history) })?;
            let guest = indices.load(&mut *store, instance)?;
            Ok(match guest.call_check(&mut *store, local, &arguments, handle)? {
                Ok(finding) => {
                    let evidence = check_all(finding.evidence, &store.data().lent)?;
                    (verdict(&finding.verdict)?, evidence)
                }
                Err(why) => (CheckVerdict::CannotTell(text(&why, "a reason")?), Vec::new()),
            })
        });
        tracing::debug!(predicate = full_name, elapsed_ms = millis(started), "checked");
        match asked {
            Ok((verdict, evidence)) => {
                ticket.answered(&function, started.elapsed());
                CheckOutcome { verdict, evidence, elapsed_ms: millis(started) }
            }
            Err(fault) => {
                ticket.faulted(&fault);
                CheckOutcome::fault(fault.failure(), started)
            }
        }
    }
}

impl CheckOutcome {
    fn fault(failure: Failure, started: Instant) -> Self {
        Self { verdict: CheckVerdict::Fault(failure), evidence: Vec::new(), elapsed_ms: millis(started) }
    }
}

fn verdict(of: &condition::Verdict) -> Result<CheckVerdict, Breach> {
    Ok(match of {
        condition::Verdict::Holds => CheckVerdict::Holds,
        condition::Verdict::Fails(why) => CheckVerdict::Fails(text(why, "a reason")?),
        condition::Verdict::CannotTell(why) => CheckVerdict::CannotTell(text(why, "a reason")?),
    })
}

/// A guard moves its prepared checks to the blocking thread that decides.
const _: fn() = || {
    fn sent<T: Send>() {}
    sent::<PreparedCheck>();
};
