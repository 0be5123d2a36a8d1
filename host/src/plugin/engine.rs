//! The engine, its two linkers, and the one function that builds every store.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Thread};

use wasmtime::component::{HasSelf, Linker};
use wasmtime::{Config, Engine, EngineWeak, Store};

use super::bindings::{pure, step};
use super::lent::{CallState, MintElementId, StepState};
use super::limits::{ASYNC_STACK, COMPONENT_HANDLES, HOSTCALL_FUEL, Memory, Meter, Pace, TICK, WASM_STACK};

/// An engine with its linkers and its ticker.
pub(super) struct Engines {
    pub(super) engine: Engine,
    /// Everything synchronous, `device` stubbed.
    pub(super) pure: Linker<CallState>,
    /// `device` asynchronous.
    pub(super) step: Linker<CallState>,
    ticker: Ticker,
}

/// Whom a store is for.
#[derive(Clone)]
pub(super) struct Guest {
    pub(super) plugin: Arc<str>,
    /// The operator's settings as JSON.
    pub(super) settings: Arc<str>,
    pub(super) memory_mib: u32,
    pub(super) mint: MintElementId,
}

/// The engine's configuration; the same in the process that compiles ahead of time, or its output would be refused.
pub(super) fn config() -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .epoch_interruption(true)
        .concurrency_support(false)
        .max_wasm_stack(WASM_STACK)
        .async_stack_size(ASYNC_STACK)
        // The limiter is not asked about shared memories.
        .shared_memory(false)
        // Every call is a store of its own; a fault is explained by its text, not by a wasm backtrace.
        .wasm_backtrace_max_frames(None);
    config
}

impl Engines {
    /// Builds the engine and both linkers and starts the ticker.
    ///
    /// # Errors
    /// When the host's processor or memory cannot run wasm at all.
    pub(super) fn new() -> wasmtime::Result<Self> {
        let engine = Engine::new(&config())?;
        let mut pure = Linker::new(&engine);
        wasmtime_wasi::p2::add_to_linker_sync(&mut pure)?;
        super::wasi::freeze(&mut pure)?;
        super::wasi::never_wait(&mut pure)?;
        pure::Everything::add_to_linker::<_, HasSelf<CallState>>(&mut pure, |state| state)?;
        let mut step = Linker::new(&engine);
        wasmtime_wasi::p2::add_to_linker_async(&mut step)?;
        super::wasi::freeze(&mut step)?;
        step::JourneyStep::add_to_linker::<_, HasSelf<CallState>>(&mut step, |state| state)?;
        let ticker = Ticker::start(engine.weak())?;
        Ok(Self { engine, pure, step, ticker })
    }

    /// The one place that builds a store: memory, time, copies, handles, WASI.
    pub(super) fn store(&self, guest: &Guest, pace: Pace, session: Option<StepState>) -> Store<CallState> {
        let state = CallState::new(
            Arc::clone(&guest.plugin),
            Arc::clone(&guest.settings),
            Memory::new(guest.memory_mib),
            Meter::new(pace),
            Arc::clone(&guest.mint),
            session,
        );
        let mut store = Store::new(&self.engine, state);
        store.limiter(|state| &mut state.memory);
        store.set_hostcall_fuel(HOSTCALL_FUEL);
        store.set_max_component_handles(COMPONENT_HANDLES);
        store.epoch_deadline_callback(|mut context| context.data_mut().meter.tick());
        store.set_epoch_deadline(1);
        store
    }

    /// Keeps the ticker running while a guest runs.
    pub(super) fn running(&self) -> Running {
        self.ticker.running()
    }
}

/// An OS thread that moves the epoch once a millisecond while a guest runs. Not a task: a task would be
/// starved by the very guest it is there to stop. It holds the engine weakly and ends with it.
struct Ticker {
    /// How many guests run; the thread ends when this is gone.
    active: Arc<AtomicUsize>,
    thread: Thread,
}

/// A guest is running.
pub(super) struct Running(Arc<AtomicUsize>);

impl Ticker {
    fn start(engine: EngineWeak) -> std::io::Result<Self> {
        let active = Arc::new(AtomicUsize::new(0));
        let seen = Arc::downgrade(&active);
        let handle = thread::Builder::new().name("epoch".into()).spawn(move || {
            while let Some(running) = seen.upgrade().map(|active| active.load(Ordering::Acquire)) {
                if running == 0 {
                    // `unpark` before `park` is remembered, so a guest that starts in between is not missed.
                    thread::park();
                } else {
                    thread::sleep(TICK);
                }
                let Some(engine) = engine.upgrade() else { return };
                engine.increment_epoch();
            }
        })?;
        Ok(Self { active, thread: handle.thread().clone() })
    }

    fn running(&self) -> Running {
        if self.active.fetch_add(1, Ordering::AcqRel) == 0 {
            self.thread.unpark();
        }
        Running(Arc::clone(&self.active))
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.active = Arc::default();
        self.thread.unpark();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}
