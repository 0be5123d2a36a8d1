//! The way of every pure call: off the reactor, on a fresh instance, its end remembered.

use std::sync::Arc;
use std::time::{Duration, Instant};

use handset_model::{Code, Failure};
use tokio::sync::{Semaphore, oneshot};
use wasmtime::Store;
use wasmtime::component::Instance;

use super::bindings::pure::handset::plugin::ui::Violation;
use super::component::Loaded;
use super::engine::Engines;
use super::evidence::text;
use super::faults::{Breach, FaultKind};
use super::lent::CallState;
use super::limits::{GUEST_THREAD, VIOLATIONS};
use super::problem::Problem;
use super::registry::{Plugins, Target};
use super::schema::refused;

/// What an answer says of the plugin. A step that always breaks validates well each time before it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answers {
    /// It does its work: a row of faults ends.
    Work,
    /// It was only asked beforehand: a row of faults goes on.
    Beforehand,
}

/// One pure call to make.
pub(super) struct Asked<F> {
    pub(super) target: Target,
    pub(super) function: String,
    pub(super) run: F,
}

/// How a pure call went, and how long it took by itself, milliseconds.
pub(super) type Went<T> = (Result<T, Failure>, f64);

impl Plugins {
    /// Runs one pure call on a fresh instance, on the pool for pure calls, and remembers how it went.
    ///
    /// # Errors
    /// `PLUGIN_FAULT`.
    pub(super) async fn pure_call<T: Send + 'static>(
        &self,
        target: Target,
        function: String,
        answers: Answers,
        run: impl FnOnce(&Loaded, &mut Store<CallState>, &Instance) -> wasmtime::Result<T> + Send + 'static,
    ) -> Result<T, Failure> {
        let mut went = self.pure_calls(vec![Asked { target, function, run }], answers).await;
        went.pop().map_or_else(|| Err(Failure::new(Code::Unknown, "no call was made")), |(result, _)| result)
    }

    /// Runs several pure calls one after the other in one turn of the pool, each on a fresh instance.
    pub(super) async fn pure_calls<T, F>(&self, asked: Vec<Asked<F>>, answers: Answers) -> Vec<Went<T>>
    where
        T: Send + 'static,
        F: FnOnce(&Loaded, &mut Store<CallState>, &Instance) -> wasmtime::Result<T> + Send + 'static,
    {
        let engines = self.shared.engines.as_ref().map_err(no_engine);
        let mut waiting = Vec::with_capacity(asked.len());
        let mut calls = Vec::with_capacity(asked.len());
        for Asked { target, function, run } in asked {
            match target.admit().and_then(|ticket| Ok((ticket, Arc::clone(engines.as_ref().map_err(Clone::clone)?)))) {
                Ok((ticket, engines)) => {
                    calls.push((Arc::clone(&target.loaded), engines, function.clone(), run));
                    waiting.push(Ok((target.clone(), ticket, function)));
                }
                Err(refused) => waiting.push(Err(refused)),
            }
        }
        let on_blocking = move || -> Vec<_> {
            let call = |(loaded, engines, function, run): (Arc<Loaded>, Arc<Engines>, String, F)| {
                let began = Instant::now();
                let done = loaded.instantiate(&engines, &function).and_then(|made| {
                    loaded.call(&engines, made, &function, |store, instance| run(&loaded, store, instance))
                });
                (done, millis(began))
            };
            calls.into_iter().map(call).collect()
        };
        let mut done = match self.on_pool(&self.shared.pure_calls, on_blocking).await {
            Ok(done) => Ok(done.into_iter()),
            Err(broke) => Err(broke),
        };
        let mut went = Vec::with_capacity(waiting.len());
        for one in waiting {
            let (target, ticket, function) = match one {
                Ok(admitted) => admitted,
                Err(refused) => {
                    went.push((Err(refused), 0.0));
                    continue;
                }
            };
            let (result, took) = match &mut done {
                Ok(done) => done
                    .next()
                    .unwrap_or_else(|| (Err(target.host_fault(&function, "no call was made".to_owned())), 0.0)),
                Err(broke) => (Err(target.host_fault(&function, broke.clone())), 0.0),
            };
            let result = match result {
                Ok(answer) => {
                    let took = Duration::from_secs_f64(took / 1_000.0);
                    match answers {
                        Answers::Work => ticket.answered(&function, took),
                        Answers::Beforehand => ticket.asked(&function, took),
                    }
                    Ok(answer)
                }
                Err(fault) => {
                    ticket.faulted(&fault);
                    Err(fault.failure())
                }
            };
            went.push((result, took));
        }
        went
    }

    /// Runs guest code off the reactor, at most as many at once as the pool has places. On a thread of its own: one
    /// whose guest went on and on has a lower priority, which only a privileged process could raise again.
    pub(super) async fn on_pool<T: Send + 'static>(
        &self,
        pool: &Arc<Semaphore>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, String> {
        let place =
            Arc::clone(pool).acquire_owned().await.map_err(|_| "could not run: the server is ending".to_owned())?;
        let runtime = tokio::runtime::Handle::current();
        let (answer, done) = oneshot::channel();
        let run = move || {
            let _runtime = runtime.enter();
            // The place is given back when the guest is done, also when nobody waits for it any more.
            let _place = place;
            let _ = answer.send(work());
        };
        std::thread::Builder::new()
            .name(GUEST_THREAD.to_owned())
            .spawn(run)
            .map_err(|why| format!("could not run: {why}"))?;
        done.await.map_err(|_| "could not run: the host panicked".to_owned())
    }
}

/// A list of violations, bounded and cleaned.
pub(super) fn bounded(violations: Vec<Violation>) -> wasmtime::Result<Vec<(String, String)>> {
    if violations.len() > VIOLATIONS {
        return Err(Breach::bad_return(format!(
            "gave {} violations; at most {VIOLATIONS} are taken",
            violations.len()
        ))
        .into());
    }
    let checked =
        violations.iter().map(|one| Ok((text(&one.path, "a violation's path")?, text(&one.message, "a violation")?)));
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

pub(super) fn no_engine(problem: &Problem) -> Failure {
    Failure::new(Code::PluginFault, problem.message.clone()).with_remedy(problem.remedy.clone())
}

pub(super) fn no_interface(name: &str) -> wasmtime::Error {
    Breach::new(FaultKind::Host, format!("does not export {name}")).into()
}

/// Milliseconds since `started`.
pub(super) fn millis(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1_000.0
}
