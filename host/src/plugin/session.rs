//! `device` as a step sees it: grants checked here, everything else handed to the step's [`SessionOps`].
//! And `device` as a pure call is linked with it: there, and never callable.

use std::sync::Arc;

use handset_model::snapshot::Observation;
use handset_model::{Code, Failure};
use wasmtime::component::Resource;

use super::bindings::pure::handset::plugin::device as stub;
use super::bindings::pure::handset::plugin::ui::Evidence;
use super::bindings::step::handset::plugin::device;
use super::evidence::{check, clean};
use super::faults::{Breach, FaultKind};
use super::lent::{CallState, Screen, Session, StepState};
use super::limits::{NOTES, PINNED_BYTES, PROGRESS, PROGRESS_BYTES};
use super::ops::WaitOptions;

/// Host failures remembered for a guest that passes one on.
const FAILURES: usize = 16;

type Answered<T> = wasmtime::Result<Result<T, device::Failure>>;

impl device::Host for CallState {}

impl device::HostSession for CallState {
    fn platform(&mut self, _: Resource<Session>) -> wasmtime::Result<String> {
        Ok(self.asked()?.ops.platform())
    }

    fn remaining_ms(&mut self, _: Resource<Session>) -> wasmtime::Result<u32> {
        Ok(self.asked()?.ops.remaining_ms())
    }

    async fn observe(&mut self, _: Resource<Session>) -> Answered<Resource<Screen>> {
        let step = self.asked()?;
        let read = match step.granted.observe() {
            Ok(()) => Arc::clone(&step.ops).observe().await,
            Err(denied) => Err(denied),
        };
        self.lend_read(read)
    }

    async fn wait_for(
        &mut self,
        _: Resource<Session>,
        selector: String,
        condition: String,
        options: device::WaitOptions,
    ) -> Answered<device::Found> {
        let step = self.asked()?;
        let found = match step.granted.observe() {
            Ok(()) => Arc::clone(&step.ops).wait_for(selector, condition, given(options)).await,
            Err(denied) => Err(denied),
        };
        match found {
            Ok(found) => {
                let element = found.element;
                Ok(self.lend_read(Ok(found.screen))?.map(|screen| device::Found { screen, element }))
            }
            Err(failure) => Ok(Err(self.failed(failure)?)),
        }
    }

    async fn wait_for_screen(
        &mut self,
        _: Resource<Session>,
        fingerprint: String,
        options: device::WaitOptions,
    ) -> Answered<Resource<Screen>> {
        let step = self.asked()?;
        let read = match step.granted.observe() {
            Ok(()) => Arc::clone(&step.ops).wait_for_screen(fingerprint, given(options)).await,
            Err(denied) => Err(denied),
        };
        self.lend_read(read)
    }

    async fn call(&mut self, _: Resource<Session>, tool: String, arguments: String) -> Answered<device::Answer> {
        let step = self.asked()?;
        let answer = match step.granted.tool(&tool) {
            Ok(()) => Arc::clone(&step.ops).call(tool, arguments).await,
            Err(denied) => Err(denied),
        };
        match answer {
            Ok(answer) => {
                self.step_state()?.answers.push(answer.id);
                Ok(Ok(device::Answer {
                    id: answer.id,
                    success: answer.success,
                    failure_code: answer.failure_code,
                    dispatch_started: answer.dispatch_started,
                    body: answer.body,
                }))
            }
            Err(failure) => Ok(Err(self.failed(failure)?)),
        }
    }

    fn progress(&mut self, _: Resource<Session>, message: String) -> wasmtime::Result<()> {
        self.meter.chatter(message.len())?;
        let step = self.asked()?;
        step.progress += 1;
        if step.progress <= PROGRESS {
            step.ops.progress(clean(&message, PROGRESS_BYTES));
        }
        Ok(())
    }

    fn note(&mut self, _: Resource<Session>, evidence: Evidence) -> wasmtime::Result<()> {
        self.meter.chatter(evidence.detail.as_ref().map_or(0, String::len))?;
        let note = check(evidence, &self.lent)?;
        let step = self.asked()?;
        step.notes += 1;
        if step.notes <= NOTES {
            step.ops.note(note);
        }
        Ok(())
    }

    fn drop(&mut self, session: Resource<Session>) -> wasmtime::Result<()> {
        self.table.delete(session)?;
        Ok(())
    }
}

impl CallState {
    fn step_state(&mut self) -> Result<&mut StepState, Breach> {
        self.step.as_mut().ok_or_else(|| Breach::new(FaultKind::Host, "used a session outside a step"))
    }

    /// A host call of the session begins.
    fn asked(&mut self) -> Result<&mut StepState, Breach> {
        self.meter.host_call()?;
        self.step_state()
    }

    /// Lends what a read brought, unless too much is held already: that is a failure the guest can act on.
    fn lend_read(&mut self, read: Result<Arc<Observation>, Failure>) -> Answered<Resource<Screen>> {
        match read {
            Ok(screen) if self.fits(&screen) => Ok(Ok(self.lend(screen)?)),
            Ok(_) => {
                let full = Failure::new(
                    Code::Unsupported,
                    format!("the step holds {} MiB of observations; it must drop some first", PINNED_BYTES >> 20),
                );
                Ok(Err(self.failed(full)?))
            }
            Err(failure) => Ok(Err(self.failed(failure)?)),
        }
    }

    fn failed(&mut self, failure: Failure) -> Result<device::Failure, Breach> {
        let shown = device::Failure {
            code: failure.code.as_str().to_owned(),
            message: failure.message.clone(),
            retryable: failure.is_retryable(),
        };
        let step = self.step_state()?;
        if step.failures.len() == FAILURES {
            step.failures.remove(0);
        }
        step.failures.push(failure);
        Ok(shown)
    }
}

const fn given(options: device::WaitOptions) -> WaitOptions {
    WaitOptions { timeout_ms: options.timeout_ms, poll_interval_ms: options.poll_interval_ms, index: options.index }
}

fn no_device<T>() -> wasmtime::Result<T> {
    Err(Breach::new(FaultKind::Host, "reached for a device in a pure call").into())
}

impl stub::Host for CallState {}

impl stub::HostSession for CallState {
    fn platform(&mut self, _: Resource<Session>) -> wasmtime::Result<String> {
        no_device()
    }

    fn remaining_ms(&mut self, _: Resource<Session>) -> wasmtime::Result<u32> {
        no_device()
    }

    fn observe(&mut self, _: Resource<Session>) -> wasmtime::Result<Result<Resource<Screen>, stub::Failure>> {
        no_device()
    }

    fn wait_for(
        &mut self,
        _: Resource<Session>,
        _: String,
        _: String,
        _: stub::WaitOptions,
    ) -> wasmtime::Result<Result<stub::Found, stub::Failure>> {
        no_device()
    }

    fn wait_for_screen(
        &mut self,
        _: Resource<Session>,
        _: String,
        _: stub::WaitOptions,
    ) -> wasmtime::Result<Result<Resource<Screen>, stub::Failure>> {
        no_device()
    }

    fn call(
        &mut self,
        _: Resource<Session>,
        _: String,
        _: String,
    ) -> wasmtime::Result<Result<stub::Answer, stub::Failure>> {
        no_device()
    }

    fn progress(&mut self, _: Resource<Session>, _: String) -> wasmtime::Result<()> {
        no_device()
    }

    fn note(&mut self, _: Resource<Session>, _: Evidence) -> wasmtime::Result<()> {
        no_device()
    }

    fn drop(&mut self, session: Resource<Session>) -> wasmtime::Result<()> {
        self.table.delete(session)?;
        Ok(())
    }
}
