//! The way of every pure call: off the reactor, on a fresh instance, its end remembered.

use std::sync::Arc;
use std::time::Instant;

use handset_model::{Code, Failure};
use tokio::sync::Semaphore;
use wasmtime::Store;
use wasmtime::component::Instance;

use super::bindings::pure::handset::plugin::ui::Violation;
use super::component::Loaded;
use super::evidence::text;
use super::faults::{Breach, FaultKind};
use super::lent::CallState;
use super::limits::VIOLATIONS;
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
                if answers == Answers::Work {
                    ticket.answered();
                }
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
        pool: &Arc<Semaphore>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, String> {
        let place =
            Arc::clone(pool).acquire_owned().await.map_err(|_| "could not run: the server is ending".to_owned())?;
        tokio::task::spawn_blocking(move || {
            // The place is given back when the guest is done, also when nobody waits for it any more.
            let _place = place;
            work()
        })
        .await
        .map_err(|why| format!("could not run: {why}"))
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
