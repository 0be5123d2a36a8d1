//! Steps: a third party's journey step types and our own, validated before device work and run over a session.

use std::sync::Arc;
use std::time::Instant;

use handset_model::{Code, Failure};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::bindings::step::exports::handset::plugin::step::Report;
use super::bindings::step::handset::plugin::device;
use super::component::Loaded;
use super::engine::Engines;
use super::evidence::{bounded as bounded_list, check_all, clean, clean_json, text};
use super::faults::{Breach, Fault, FaultKind};
use super::lent::{CallState, Session, StepState, end};
use super::limits::{BODY, DETAIL, Pace, STEP_GRACE};
use super::ops::{EvidenceNote, SessionOps};
use super::pure::{Answers, bounded, first_violation, millis, no_engine, no_interface};
use super::registry::{Plugins, Target};
use crate::budget::{Budget, Stopped};

/// A step type that a journey may name.
#[derive(Clone, Debug, PartialEq)]
pub struct StepType {
    /// `tap`, or `login-flow/sign-in`.
    pub type_name: String,
    /// Who provides it.
    pub plugin: String,
    /// Comes with Handset.
    pub built_in: bool,
    /// One sentence.
    pub summary: String,
    /// JSON Schema of its arguments; the root is a plain object.
    pub schema: Value,
    /// What it needs to be granted.
    pub grants: Vec<String>,
}

/// What a step looks for with its very first read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// JSON, contract §6.
    pub selector: String,
    /// exists, not_exists, visible or clickable.
    pub condition: String,
}

/// What a step says of itself, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct StepReport {
    /// Its own verdict.
    pub passed: bool,
    /// Code of the contract, or the plugin's own in the same shape.
    pub failure_code: Option<String>,
    /// At most 512 bytes.
    pub message: Option<String>,
    /// What it has to say, untrusted; shown under `plugin` for third parties.
    pub body: Option<Value>,
    /// Why, checked.
    pub evidence: Vec<EvidenceNote>,
    /// Ids of answers of this step's session that the host shows from its own record.
    pub shows: Vec<u32>,
    /// From the call to its end, milliseconds.
    pub elapsed_ms: f64,
}

/// How a step's call ended, apart from a fault.
enum Ended {
    Reported(StepReport),
    Failed(Failure),
    Stopped(Stopped),
}

impl Plugins {
    /// Every step type of the plugins that are ready.
    #[must_use]
    pub fn step_types(&self) -> Vec<StepType> {
        let set = self.set();
        let ready = set.iter().filter_map(|entry| Some((Arc::clone(entry), entry.ready().ok()?)));
        ready
            .flat_map(|(entry, loaded)| {
                let count = loaded.provides.steps.len();
                (0..count).filter_map(move |index| {
                    step_type(&Target { entry: Arc::clone(&entry), loaded: Arc::clone(&loaded), index })
                })
            })
            .collect()
    }

    /// One step type by name; does not wait for a compile.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming `type`, with what could be meant; `PLUGIN_FAULT` for a plugin that is not ready.
    pub fn step_type(&self, name: &str) -> Result<StepType, Failure> {
        let target = self.find_step(name)?;
        step_type(&target).ok_or_else(|| Failure::argument("type", format!("there is no step type {name:?}")))
    }

    /// Checks a step before any device work: its schema, its own word, its grants.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the member of `args` (none: the whole), or `type`; `PLUGIN_DENIED` naming the
    /// missing grant; `PLUGIN_FAULT`.
    pub async fn validate_step(&self, type_name: &str, args: &Value) -> Result<(), Failure> {
        self.settle(type_name).await;
        let target = self.find_step(type_name)?;
        let Some(step) = target.loaded.provides.steps.get(target.index) else { return Ok(()) };
        step.arguments.check(args)?;
        let (local, arguments) = (step.name.clone(), args.to_string());
        let denied = step.grants.iter().find_map(|grant| target.entry.granted.declared(grant).err());
        let violations = self
            .pure_call(target, format!("step.validate {local}"), Answers::Beforehand, move |loaded, store, instance| {
                let Some(indices) = &loaded.step else { return Err(no_interface("step")) };
                let guest = indices.load(&mut *store, instance)?;
                bounded(guest.call_validate(store, &local, &arguments)?)
            })
            .await?;
        first_violation(violations)?;
        denied.map_or(Ok(()), Err)
    }

    /// What the step will look for first; `None` also for a plugin that may not look.
    ///
    /// # Errors
    /// As [`Plugins::validate_step`], but for the arguments.
    pub async fn first_look(&self, type_name: &str, args: &Value) -> Result<Option<Look>, Failure> {
        self.settle(type_name).await;
        let target = self.find_step(type_name)?;
        if target.entry.granted.observe().is_err() {
            return Ok(None);
        }
        let Some(local) = target.loaded.provides.steps.get(target.index).map(|step| step.name.clone()) else {
            return Ok(None);
        };
        let arguments = args.to_string();
        let look = self
            .pure_call(
                target,
                format!("step.first-look {local}"),
                Answers::Beforehand,
                move |loaded, store, instance| {
                    let Some(indices) = &loaded.step else { return Err(no_interface("step")) };
                    let guest = indices.load(&mut *store, instance)?;
                    guest.call_first_look(store, &local, &arguments)
                },
            )
            .await?;
        Ok(look.map(|look| Look { selector: look.selector, condition: clean(&look.condition, DETAIL) }))
    }

    /// Runs a step on its budget. Its host calls end with the budget; a guest that runs on for another second
    /// is ended, and that is a fault. Dropping the future ends the step at its next host call.
    ///
    /// # Errors
    /// The step's own failure, `CANCELLED`, or `PLUGIN_FAULT`.
    pub async fn run_step(
        &self,
        type_name: &str,
        args: &Value,
        ops: Arc<dyn SessionOps>,
        budget: &Budget,
    ) -> Result<StepReport, Failure> {
        let stopped = |stopped: Stopped| stopped.failure(Code::Timeout, "a step waited for its plugin");
        budget.run(self.settle(type_name)).await.map_err(stopped)?;
        let target = self.find_step(type_name)?;
        let ticket = target.admit()?;
        let engines = Arc::clone(self.shared.engines.as_ref().map_err(no_engine)?);
        let Some(local) = target.loaded.provides.steps.get(target.index).map(|step| step.name.clone()) else {
            return Err(Failure::argument("type", format!("there is no step type {type_name:?}")));
        };
        let function = format!("step.run {local}");
        let place = budget.run(Arc::clone(&self.shared.step_calls).acquire_owned()).await.map_err(stopped)?;
        let session = StepState {
            ops,
            granted: target.entry.granted.clone(),
            answers: Vec::new(),
            progress: 0,
            notes: 0,
            failures: Vec::new(),
        };
        let runtime = Handle::current();
        // When this future is dropped nobody waits for the step any more, so it must not go on driving a device.
        let gone = CancellationToken::new();
        let _leaving = gone.clone().drop_guard();
        let call = StepCall {
            engines,
            loaded: Arc::clone(&target.loaded),
            name: local,
            arguments: args.to_string(),
            function: function.clone(),
            budget: budget.clone(),
            gone,
        };
        let began = Instant::now();
        let done = tokio::task::spawn_blocking(move || {
            let _place = place;
            runtime.block_on(call.run(session))
        })
        .await
        .unwrap_or_else(|why| Err(target.host_fault(&function, format!("could not run: {why}"))));
        match done {
            Ok(Ended::Reported(report)) => {
                ticket.answered(&function, began.elapsed());
                Ok(report)
            }
            Ok(Ended::Failed(failure)) => {
                ticket.answered(&function, began.elapsed());
                Err(failure)
            }
            Ok(Ended::Stopped(why)) => Err(why.failure(Code::Timeout, "a step ran")),
            Err(fault) => {
                ticket.faulted(&fault);
                Err(fault.failure())
            }
        }
    }

    fn find_step(&self, name: &str) -> Result<Target, Failure> {
        self.find("step type", "type", name, |loaded| {
            loaded.provides.steps.iter().map(|one| one.name.as_str()).collect()
        })
    }
}

fn step_type(target: &Target) -> Option<StepType> {
    let step = target.loaded.provides.steps.get(target.index)?;
    Some(StepType {
        type_name: target.entry.full_name(&step.name),
        plugin: target.entry.name.to_string(),
        built_in: target.entry.builtin,
        summary: step.summary.clone(),
        schema: step.arguments.schema.clone(),
        grants: step.grants.clone(),
    })
}

/// One call of a step, on its way to a blocking thread.
struct StepCall {
    engines: Arc<Engines>,
    loaded: Arc<Loaded>,
    name: String,
    arguments: String,
    function: String,
    budget: Budget,
    gone: CancellationToken,
}

impl StepCall {
    async fn run(self, session: StepState) -> Result<Ended, Fault> {
        let started = Instant::now();
        let mut store = self.engines.store(&self.loaded.guest, Pace::Step, Some(session));
        let _running = self.engines.running();
        let late = self.budget.deadline() + STEP_GRACE;
        let cancelled = async {
            self.budget.cancel_token().cancelled().await;
            // The guest's host call sees the same token; it is given the time to come back with an answer.
            tokio::time::sleep(STEP_GRACE).await;
        };
        let called = tokio::select! {
            biased;
            () = self.gone.cancelled() => return Ok(Ended::Stopped(Stopped::Cancelled)),
            called = self.call(&mut store, started) => Some(called),
            () = cancelled => return Ok(Ended::Stopped(Stopped::Cancelled)),
            () = tokio::time::sleep_until(late) => None,
        };
        store.data().close_log();
        match called {
            Some(called) => called.map_err(|error| Fault::from_error(&self.function, &error, &end(store))),
            None => {
                let breach = Breach::new(FaultKind::Deadline, "was still running a second after its time was up");
                Err(Fault::from_breach(&self.function, breach, &end(store)))
            }
        }
    }

    async fn call(&self, store: &mut wasmtime::Store<CallState>, started: Instant) -> wasmtime::Result<Ended> {
        let (Some(pre), Some(indices)) = (&self.loaded.stepping, &self.loaded.run) else {
            return Err(no_interface("step"));
        };
        let instance = pre.instantiate_async(&mut *store).await?;
        store.data_mut().meter.restart();
        let session = store.data_mut().table.push(Session)?;
        let guest = indices.load(&mut *store, &instance)?;
        let answer = guest.call_run(&mut *store, &self.name, &self.arguments, session).await?;
        Ok(match answer {
            Ok(report) => Ended::Reported(judge(report, store.data(), started)?),
            Err(failure) => Ended::Failed(own_failure(failure, store.data())?),
        })
    }
}

/// Checks a report against what the call was lent and the answers it was given.
fn judge(report: Report, state: &CallState, started: Instant) -> Result<StepReport, Breach> {
    bounded_list(report.shows.len(), "answers to show")?;
    let answers = state.step.as_ref().map_or(&[][..], |step| &step.answers);
    if let Some(unknown) = report.shows.iter().find(|id| !answers.contains(id)) {
        return Err(Breach::bad_return(format!("shows answer {unknown}, which it was never given")));
    }
    if let Some(code) = report.failure_code.as_deref().filter(|code| !is_code(code)) {
        return Err(Breach::bad_return(format!("gave a failure code of the wrong shape: {:?}", clean(code, 64))));
    }
    Ok(StepReport {
        passed: report.passed,
        failure_code: report.failure_code,
        message: report.message.map(|message| text(&message, "a message")).transpose()?,
        body: body(&report.body)?,
        evidence: check_all(report.evidence, &state.lent)?,
        shows: report.shows,
        elapsed_ms: millis(started),
    })
}

/// A report's body: JSON without NaN (JSON has none) of at most 64 KiB; an empty text is no body.
fn body(text: &str) -> Result<Option<Value>, Breach> {
    if text.len() > BODY {
        return Err(Breach::bad_return(format!("gave a body of {} bytes; at most {BODY} are taken", text.len())));
    }
    if text.is_empty() {
        return Ok(None);
    }
    let value: Value =
        serde_json::from_str(text).map_err(|why| Breach::bad_return(format!("gave a body that is not JSON: {why}")))?;
    Ok((!value.is_null()).then(|| clean_json(value)))
}

/// A guest's failure as the contract's. One that the host gave it and it passed on is the host's own, with all it says.
fn own_failure(failure: device::Failure, state: &CallState) -> Result<Failure, Breach> {
    let given = state.step.as_ref().and_then(|step| {
        step.failures.iter().rev().find(|own| own.code.as_str() == failure.code && own.message == failure.message)
    });
    if let Some(own) = given {
        return Ok(own.clone());
    }
    let Some(code) = Code::from_name(&failure.code) else {
        return Err(Breach::bad_return(format!(
            "failed with {:?}, which is no code of the contract",
            clean(&failure.code, 64)
        )));
    };
    Ok(Failure::new(code, text(&failure.message, "a message")?).with_retryable(failure.retryable))
}

/// `UPPER_SNAKE`, at most 64 bytes.
fn is_code(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}
