//! Pure calls: classifiers, predicates, and the checks that come before any device work.

use std::sync::Arc;
use std::time::Instant;

use handset_model::snapshot::Observation;
use handset_model::{Code, Failure};
use serde_json::Value;
use wasmtime::Store;
use wasmtime::component::Instance;

use super::bindings::pure::exports::handset::plugin::{condition, readiness};
use super::bindings::pure::handset::plugin::ui::Violation;
use super::component::{Loaded, PureInstance};
use super::entry::Entry;
use super::evidence::{check_all, text, texts};
use super::faults::{Breach, Fault, Ticket};
use super::lent::{CallState, Comparison, Timeline};
use super::limits::VIOLATIONS;
use super::ops::{EvidenceNote, PendingInput, TimelineData};
use super::registry::{Plugins, Target};
use super::schema::refused;

/// What a classifier makes of the screen, in the order the contract combines them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReadinessState {
    /// Cannot tell.
    Unknown,
    /// Nothing says that it is not ready; the host decides on samples and stability.
    Settled,
    /// Moving from one screen to the next.
    Transitioning,
    /// Something is being loaded.
    Loading,
    /// The app does not answer.
    Unresponsive,
    /// A debugger holds the app.
    DebuggerPaused,
}

impl ReadinessState {
    /// The name on the wire, such as `debugger_paused`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Settled => "settled",
            Self::Transitioning => "transitioning",
            Self::Loading => "loading",
            Self::Unresponsive => "unresponsive",
            Self::DebuggerPaused => "debugger_paused",
        }
    }

    const fn from_guest(state: readiness::State) -> Self {
        match state {
            readiness::State::Unknown => Self::Unknown,
            readiness::State::Settled => Self::Settled,
            readiness::State::Transitioning => Self::Transitioning,
            readiness::State::Loading => Self::Loading,
            readiness::State::Unresponsive => Self::Unresponsive,
            readiness::State::DebuggerPaused => Self::DebuggerPaused,
        }
    }
}

/// One classifier's word.
#[derive(Clone, Debug, PartialEq)]
pub struct Voice {
    /// `readiness` or `plugin/name`.
    pub classifier: String,
    /// Its state; `Unknown` where it has none.
    pub state: ReadinessState,
    /// Why, checked.
    pub evidence: Vec<EvidenceNote>,
    /// What it could not see.
    pub limitations: Vec<String>,
    /// Probes it would have needed.
    pub unsupported: Vec<String>,
    /// Why it is left out of the verdict: `PLUGIN_FAULT` for a fault, `UNSUPPORTED` when it said that it could not do its work.
    pub fault: Option<Failure>,
    /// The call, milliseconds.
    pub elapsed_ms: f64,
}

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
    plugins: Arc<super::registry::Shared>,
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
    /// Asks every classifier about the reads of a request; several at once. A plugin that is still being
    /// compiled is not waited for: it is named with its reason.
    pub async fn classify(&self, timeline: Arc<TimelineData>) -> Vec<Voice> {
        if timeline.observations.is_empty() {
            // Never lent empty: the host answers `unknown` itself.
            return Vec::new();
        }
        let mut asked = Vec::new();
        for entry in self.set().iter() {
            match entry.ready() {
                Ok(loaded) => {
                    for index in 0..loaded.provides.classifiers.len() {
                        asked.push(Ok(Target { entry: Arc::clone(entry), loaded: Arc::clone(&loaded), index }));
                    }
                }
                Err(failure) if failure.is_retryable() => asked.push(Err((Arc::clone(entry), failure))),
                Err(_) => {}
            }
        }
        let voices = asked.into_iter().map(|target| async {
            match target {
                Ok(target) => self.ask_classifier(target, Arc::clone(&timeline)).await,
                Err((entry, failure)) => silent(entry.name.to_string(), failure, 0.0),
            }
        });
        futures::future::join_all(voices).await
    }

    /// Names of every classifier and the probes they know how to use.
    #[must_use]
    pub fn classifiers(&self) -> Vec<(String, Vec<String>)> {
        let set = self.set();
        let ready = set.iter().filter_map(|entry| Some((entry, entry.ready().ok()?)));
        ready
            .flat_map(|(entry, loaded)| {
                let of = |one: &super::component::Classifier| (entry.full_name(&one.name), one.probes.clone());
                loaded.provides.classifiers.iter().map(of).collect::<Vec<_>>()
            })
            .collect()
    }

    async fn ask_classifier(&self, target: Target, timeline: Arc<TimelineData>) -> Voice {
        let Some(local) = target.loaded.provides.classifiers.get(target.index).map(|one| one.name.clone()) else {
            return silent(target.entry.name.to_string(), Failure::new(Code::Unknown, "no such classifier"), 0.0);
        };
        let name = target.entry.full_name(&local);
        let started = Instant::now();
        let asked = self
            .pure_call(target, format!("readiness.classify {local}"), move |loaded, store, instance| {
                let Some(indices) = &loaded.readiness else { return Err(no_interface("readiness")) };
                for screen in &timeline.observations {
                    store.data_mut().lent.add(screen);
                }
                let handle = store.data_mut().table.push(Timeline(timeline))?;
                let guest = indices.load(&mut *store, instance)?;
                let answer = guest.call_classify(&mut *store, &local, handle)?;
                Ok(match answer {
                    Ok(assessment) => Ok(judge(assessment, store.data())?),
                    Err(why) => Err(text(&why, "a reason")?),
                })
            })
            .await;
        let elapsed_ms = millis(started);
        match asked {
            Ok(Ok(mut voice)) => {
                voice.classifier = name;
                voice.elapsed_ms = elapsed_ms;
                voice
            }
            Ok(Err(why)) => silent(name, Failure::new(Code::Unsupported, format!("the classifier could not tell: {why}")), elapsed_ms),
            Err(failure) => silent(name, failure, elapsed_ms),
        }
    }

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
            .pure_call(target, format!("condition.validate {local}"), move |loaded, store, instance| {
                let Some(indices) = &loaded.condition else { return Err(no_interface("condition")) };
                let guest = indices.load(&mut *store, instance)?;
                let violations = guest.call_validate(store, &local, &arguments)?;
                bounded(violations)
            })
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
            Ok(made) => {
                Ok(PreparedCheck { plugins: Arc::clone(&self.shared), target, ticket, made, arguments: args.to_string() })
            }
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

    /// Runs one pure call on a fresh instance, on the pool for pure calls, and remembers how it went.
    ///
    /// # Errors
    /// `PLUGIN_FAULT`.
    pub(super) async fn pure_call<T: Send + 'static>(
        &self,
        target: Target,
        function: String,
        run: impl FnOnce(&Loaded, &mut Store<CallState>, &Instance) -> wasmtime::Result<T> + Send + 'static,
    ) -> Result<T, Failure> {
        let ticket = target.admit()?;
        let engines = Arc::clone(self.shared.engines.as_ref().map_err(no_engine)?);
        let loaded = Arc::clone(&target.loaded);
        let on_blocking = {
            let function = function.clone();
            move || {
                let made = loaded.instantiate(&engines, &function)?;
                loaded.call(&engines, made, &function, |store, instance| run(&loaded, store, instance))
            }
        };
        let done = match self.on_pool(&self.shared.pure_calls, on_blocking).await {
            Ok(done) => done,
            Err(broke) => Err(target.host_fault(&function, broke)),
        };
        match done {
            Ok(answer) => {
                ticket.answered();
                Ok(answer)
            }
            Err(fault) => {
                ticket.faulted(&fault);
                Err(fault.failure())
            }
        }
    }

    /// Runs guest code off the reactor, at most as many at once as the pool has places.
    pub(super) async fn on_pool<T: Send + 'static>(
        &self,
        pool: &Arc<tokio::sync::Semaphore>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, String> {
        let place = Arc::clone(pool).acquire_owned().await.map_err(|_| "could not run: the server is ending".to_owned())?;
        tokio::task::spawn_blocking(move || {
            // The place is given back when the guest is done, also when nobody waits for it any more.
            let _place = place;
            work()
        })
        .await
        .map_err(|why| format!("could not run: {why}"))
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
                ticket.answered();
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

fn judge(assessment: readiness::Assessment, state: &CallState) -> Result<Voice, Breach> {
    Ok(Voice {
        classifier: String::new(),
        state: ReadinessState::from_guest(assessment.state),
        evidence: check_all(assessment.evidence, &state.lent)?,
        limitations: texts(assessment.limitations, "limitations")?,
        unsupported: texts(assessment.unsupported, "unsupported probes")?,
        fault: None,
        elapsed_ms: 0.0,
    })
}

fn silent(classifier: String, fault: Failure, elapsed_ms: f64) -> Voice {
    Voice {
        classifier,
        state: ReadinessState::Unknown,
        evidence: Vec::new(),
        limitations: Vec::new(),
        unsupported: Vec::new(),
        fault: Some(fault),
        elapsed_ms,
    }
}

/// A list of violations, bounded and cleaned.
pub(super) fn bounded(violations: Vec<Violation>) -> wasmtime::Result<Vec<(String, String)>> {
    if violations.len() > VIOLATIONS {
        return Err(Breach::bad_return(format!("gave {} violations; at most {VIOLATIONS} are taken", violations.len())).into());
    }
    let checked = violations.iter().map(|one| Ok((text(&one.path, "a violation's path")?, text(&one.message, "a violation")?)));
    Ok(checked.collect::<Result<_, Breach>>()?)
}

/// The first violation as a refusal; the others in its message.
pub(super) fn first_violation(violations: Vec<(String, String)>) -> Result<(), Failure> {
    let mut rest = violations.into_iter();
    let Some((path, message)) = rest.next() else { return Ok(()) };
    let others: Vec<String> = rest.map(|(path, message)| format!("{path}: {message}")).collect();
    let message = if others.is_empty() { message } else { format!("{message}; also: {}", others.join("; ")) };
    Err(refused(&path, message))
}

pub(super) fn no_engine(problem: &super::problem::Problem) -> Failure {
    Failure::new(Code::PluginFault, problem.message.clone()).with_remedy(problem.remedy.clone())
}

pub(super) fn no_interface(name: &str) -> wasmtime::Error {
    Breach::new(super::faults::FaultKind::Host, format!("does not export {name}")).into()
}

/// Milliseconds since `started`.
pub(super) fn millis(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1_000.0
}

#[allow(dead_code, reason = "asserts at compile time what callers rely on")]
fn prepared_is_send(check: PreparedCheck) -> impl Send {
    (check, None::<Entry>, None::<Fault>)
}
