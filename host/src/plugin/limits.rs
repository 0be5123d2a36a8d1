//! Every bound a guest meets, each with its reason, and the two meters that enforce them: memory and time.

use std::time::{Duration, Instant};

use wasmtime::{ResourceLimiter, UpdateDeadline};

use super::faults::{Breach, FaultKind};

/// All memories and tables of one call, MiB. A JavaScript guest starts at 9 MiB and a Python one near 40.
pub const MEMORY_MIB: u32 = 64;
/// The most a manifest or the operator may ask for, MiB: four calls at once still fit a small CI machine.
pub const MAX_MEMORY_MIB: u32 = 512;
/// Core instances of one call: componentised Python has some fifty.
const INSTANCES: usize = 512;
/// Memories, and tables, of one call.
const MEMORIES: usize = 128;
/// Bytes one host call (or one returned value) may copy out of a guest.
pub(super) const HOSTCALL_FUEL: usize = 1 << 20;
/// Handles a guest may hold at once.
pub(super) const COMPONENT_HANDLES: usize = 4_096;
/// Bytes of observations a step may keep alive through its handles.
pub(super) const PINNED_BYTES: usize = 32 << 20;
/// Guest code's stack. Deep recursion traps here instead of near the host's own guard page.
pub(super) const WASM_STACK: usize = 512 << 10;
/// A step's fiber: the guest's stack and room for a host call on top of it.
pub(super) const ASYNC_STACK: usize = 2 << 20;

/// Guest time without a host call after which a call ends. Honest calls take microseconds; JavaScript over a
/// large tree takes tens of milliseconds.
pub(super) const SILENT: Duration = Duration::from_millis(250);
/// A pure call ends after this, host calls included: it is waited for between a read and an input.
pub(super) const PURE_TOTAL: Duration = Duration::from_millis(1_000);
/// Host calls of one pure call: a hundred for each element of a large tree.
pub(super) const PURE_HOST_CALLS: u32 = 100_000;
/// How long a step may overrun its budget before that is a fault: its host calls end at the budget.
pub(super) const STEP_GRACE: Duration = Duration::from_millis(1_000);
/// The ticker's period.
pub(super) const TICK: Duration = Duration::from_millis(1);
/// The most one tick is charged: a guest is not billed for a machine that slept or a thread that was not scheduled.
const TICK_CHARGE: Duration = Duration::from_millis(20);

/// Pure calls running at once; more wait. They are short, and a spinning one holds its thread for 250 ms.
pub(super) const PURE_CALLS: usize = 8;
/// Steps running at once. Each drives one device.
pub(super) const STEP_CALLS: usize = 16;

/// Log lines of one call that reach the log; the rest is counted.
pub(super) const LOG_LINES: u32 = 256;
/// Bytes of one log line that reach the log.
pub(super) const LOG_LINE: usize = 1_024;
/// Log lines, progress messages and notes of one call, together, after which it is a flood.
pub(super) const FLOOD: u32 = 10_000;
/// Bytes of the same.
pub(super) const FLOOD_BYTES: usize = 16 << 20;
/// Progress messages of one step that reach the client.
pub(super) const PROGRESS: u32 = 256;
/// Bytes of one progress message.
pub(super) const PROGRESS_BYTES: usize = 256;
/// Notes of one step that are kept.
pub(super) const NOTES: u32 = 64;
/// What is kept of a guest's stdout, stderr and error log for a fault's text.
pub(super) const TAIL: usize = 2_048;

/// Entries of a list of evidence, limitations, unsupported probes, or answers to show.
pub(super) const LIST: usize = 16;
/// Bytes shown of an evidence's detail, a reason, a message.
pub(super) const DETAIL: usize = 512;
/// Bytes after which such a text is a bad return. Between the two it is cut: a guest may quote the screen,
/// and what an app shows must not be able to make it break a rule.
pub(super) const TEXT: usize = 4_096;
/// Bytes of a name: signals, steps, predicates, classifiers.
pub(super) const NAME: usize = 64;
/// Bytes of a report's body.
pub(super) const BODY: usize = 64 << 10;
/// Steps, or predicates, or classifiers, one plugin may provide.
pub(super) const PROVIDES: usize = 64;
/// Bytes of one arguments schema: it is shown to agents.
pub(super) const SCHEMA: usize = 16 << 10;
/// Words of one `find-words`, and bytes of each: the search runs in the host, where no epoch fires.
pub(super) const WORDS: usize = 128;
/// Changes one `changes-since` may list.
pub(super) const CHANGES: usize = 1_000;
/// Violations one `validate` may list.
pub(super) const VIOLATIONS: usize = 16;

/// Sums all memories and tables of one store, where wasmtime's own limits count each alone.
#[derive(Debug)]
pub(super) struct Memory {
    used: usize,
    limit: usize,
}

impl Memory {
    /// A meter of `mib` MiB.
    pub(super) fn new(mib: u32) -> Self {
        Self { used: 0, limit: (mib as usize) << 20 }
    }

    fn grow(&mut self, by: usize) -> wasmtime::Result<bool> {
        let wanted = self.used.saturating_add(by);
        if wanted > self.limit {
            return Err(Breach::new(
                FaultKind::Memory,
                format!("wanted {} KiB of memory; its limit is {} MiB", wanted >> 10, self.limit >> 20),
            )
            .into());
        }
        self.used = wanted;
        Ok(true)
    }
}

impl ResourceLimiter for Memory {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            // The module's own limit: `memory.grow` answers -1, as the specification says.
            return Ok(false);
        }
        self.grow(desired.saturating_sub(current))
    }

    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        tracing::debug!(%error, "a guest's memory could not grow");
        Ok(())
    }

    fn table_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        self.grow(desired.saturating_sub(current).saturating_mul(size_of::<usize>()))
    }

    fn instances(&self) -> usize {
        INSTANCES
    }

    fn tables(&self) -> usize {
        MEMORIES
    }

    fn memories(&self) -> usize {
        MEMORIES
    }
}

/// Which rules a call's time follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// Synchronous, one second in all.
    Pure,
    /// Asynchronous, on the step's own budget.
    Step,
}

/// After so much guest time without a host call, a pure call's thread steps back behind all others.
const PATIENCE: Duration = Duration::from_millis(10);

/// Name of the threads that run a guest's call and end with it.
pub(super) const GUEST_THREAD: &str = "guest";

/// Steps back, on a thread that ends with its guest's call: a tenth of a processor where others want it, all of it where
/// nobody does.
#[cfg(target_os = "linux")]
fn step_back() {
    if std::thread::current().name() != Some(GUEST_THREAD) {
        return;
    }
    // On Linux niceness is each thread's own; elsewhere it would be the whole server's.
    if let Err(why) = rustix::process::nice(10) {
        tracing::debug!(%why, "a guest's thread keeps its priority");
    }
}

#[cfg(not(target_os = "linux"))]
fn step_back() {}

/// Guest time and host calls of one call.
#[derive(Debug)]
pub(super) struct Meter {
    pace: Pace,
    started: Instant,
    seen: Instant,
    silent: Duration,
    /// Its thread has stepped back.
    back: bool,
    host_calls: u32,
    chatter: u32,
    chatter_bytes: usize,
}

impl Meter {
    /// A meter that starts now.
    pub(super) fn new(pace: Pace) -> Self {
        let now = Instant::now();
        Self {
            pace,
            started: now,
            seen: now,
            silent: Duration::ZERO,
            back: false,
            host_calls: 0,
            chatter: 0,
            chatter_bytes: 0,
        }
    }

    /// When the call began.
    pub(super) fn started(&self) -> Instant {
        self.started
    }

    /// Asked now and then by host calls that are work: no epoch fires in them.
    pub(super) fn at_work(&self) -> Result<(), Breach> {
        let now = Instant::now();
        if now.saturating_duration_since(self.seen) >= SILENT {
            return Err(Breach::new(
                FaultKind::Deadline,
                format!("asked for more than {} ms of work in one host call", SILENT.as_millis()),
            ));
        }
        self.total(now)
    }

    /// Starts over: an instance made ahead of its call is not billed for the time between.
    pub(super) fn restart(&mut self) {
        *self = Self::new(self.pace);
    }

    /// A host call begins.
    pub(super) fn host_call(&mut self) -> Result<(), Breach> {
        let now = Instant::now();
        self.seen = now;
        self.silent = Duration::ZERO;
        self.host_calls = self.host_calls.saturating_add(1);
        if self.pace == Pace::Pure && self.host_calls > PURE_HOST_CALLS {
            return Err(Breach::new(FaultKind::Flood, format!("made more than {PURE_HOST_CALLS} host calls")));
        }
        self.total(now)
    }

    /// Something that is written somewhere: a log line, a progress message, a note.
    pub(super) fn chatter(&mut self, bytes: usize) -> Result<(), Breach> {
        self.chatter += 1;
        self.chatter_bytes = self.chatter_bytes.saturating_add(bytes);
        if self.chatter > FLOOD || self.chatter_bytes > FLOOD_BYTES {
            return Err(Breach::new(
                FaultKind::Flood,
                format!("wrote more than {FLOOD} log lines, messages and notes, or {} MiB of them", FLOOD_BYTES >> 20),
            ));
        }
        Ok(())
    }

    /// One tick of guest time has passed.
    pub(super) fn tick(&mut self) -> wasmtime::Result<UpdateDeadline> {
        let now = Instant::now();
        self.silent += now.saturating_duration_since(self.seen).min(TICK_CHARGE);
        self.seen = now;
        if self.silent >= SILENT {
            return Err(
                Breach::new(FaultKind::Deadline, format!("ran {} ms without a host call", SILENT.as_millis())).into()
            );
        }
        self.total(now)?;
        if self.silent >= PATIENCE && !std::mem::replace(&mut self.back, true) {
            step_back();
        }
        Ok(match self.pace {
            Pace::Pure => UpdateDeadline::Continue(1),
            Pace::Step => UpdateDeadline::Yield(1),
        })
    }

    fn total(&self, now: Instant) -> Result<(), Breach> {
        if self.pace == Pace::Pure && now.saturating_duration_since(self.started) >= PURE_TOTAL {
            return Err(Breach::new(FaultKind::Deadline, format!("took {} ms", PURE_TOTAL.as_millis())));
        }
        Ok(())
    }
}
