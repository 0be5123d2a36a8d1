//! Faults: what went wrong inside a guest, told apart from what a guest answered, and the memory of them.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use handset_model::{Code, Failure};
use serde_json::Value;
use wasmtime::Trap;

use super::costs::Costs;
use super::evidence::{clean, clean_lines};
use super::limits::TAIL;

/// Faults in a row after which a third party's plugin is left alone for a while.
pub const QUARANTINE_AFTER: u32 = 3;
/// How long it is left alone before one call may try again.
pub const QUARANTINE_FOR: Duration = Duration::from_secs(30);

/// What kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// The guest trapped: a panic, a bad access, a stack overflow, an exit.
    Trap,
    /// It ran too long.
    Deadline,
    /// It wanted more memory than it may have.
    Memory,
    /// What it returned or noted is not what the door allows.
    BadReturn,
    /// Too many host calls, too much written, too much copied.
    Flood,
    /// The host could not run it.
    Host,
}

impl FaultKind {
    /// The name shown in messages and `list_plugins`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trap => "trap",
            Self::Deadline => "deadline",
            Self::Memory => "memory",
            Self::BadReturn => "bad return",
            Self::Flood => "flood",
            Self::Host => "host",
        }
    }
}

/// A rule a guest broke, raised where it was noticed and carried out of the store as its trap.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{text}")]
pub(super) struct Breach {
    kind: FaultKind,
    text: String,
}

impl Breach {
    pub(super) fn new(kind: FaultKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }

    /// A returned value that the door does not allow.
    pub(super) fn bad_return(text: impl Into<String>) -> Self {
        Self::new(FaultKind::BadReturn, text)
    }
}

/// What is known of a call whose store is gone.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) plugin: Arc<str>,
    pub(super) tail: Vec<u8>,
    pub(super) took: Duration,
}

/// One fault, ready to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Which plugin.
    pub plugin: String,
    /// What kind.
    pub kind: FaultKind,
    /// The exported function, with what it was asked for, such as `step.run sign-in`.
    pub function: String,
    /// What happened, completing "the plugin …".
    pub text: String,
    /// The last of what the guest wrote, at most 2 KiB, cleaned; its line ends stay, as a stack trace is read.
    pub tail: String,
    /// From the call's start until nothing of it was left.
    pub took: Duration,
}

impl Fault {
    /// From what ended a call: our own [`Breach`], a wasm trap, or something the host could not do.
    pub(super) fn from_error(function: &str, error: &wasmtime::Error, ended: &Ended) -> Self {
        let (kind, text) = explain(error);
        Self::new(function, kind, text, ended)
    }

    /// From a rule broken outside the store.
    pub(super) fn from_breach(function: &str, breach: Breach, ended: &Ended) -> Self {
        Self::new(function, breach.kind, breach.text, ended)
    }

    fn new(function: &str, kind: FaultKind, text: String, ended: &Ended) -> Self {
        Self {
            plugin: ended.plugin.to_string(),
            kind,
            function: function.to_owned(),
            text,
            tail: clean_lines(&String::from_utf8_lossy(&ended.tail), TAIL),
            took: ended.took,
        }
    }

    /// As the contract's `PLUGIN_FAULT`.
    #[must_use]
    pub fn failure(&self) -> Failure {
        let mut message =
            format!("plugin {}: {} ({}): it {}", self.plugin, self.function, self.kind.as_str(), self.text);
        if !self.tail.is_empty() {
            message.push_str("; its last output: ");
            message.push_str(&clean(&self.tail, TAIL));
        }
        Failure::new(Code::PluginFault, message)
    }
}

fn explain(error: &wasmtime::Error) -> (FaultKind, String) {
    if let Some(breach) = error.downcast_ref::<Breach>() {
        return (breach.kind, breach.text.clone());
    }
    if let Some(exit) = error.downcast_ref::<wasmtime_wasi::I32Exit>() {
        return (FaultKind::Trap, format!("called exit({})", exit.0));
    }
    if let Some(trap) = error.downcast_ref::<Trap>() {
        return match trap {
            Trap::UnreachableCodeReached => (FaultKind::Trap, "panicked (unreachable code reached)".to_owned()),
            Trap::StackOverflow => (FaultKind::Trap, "overflowed its stack".to_owned()),
            // A native guest's own stack lies below its data, so that is where deep recursion ends.
            Trap::MemoryOutOfBounds => (FaultKind::Trap, "reached outside its memory, or recursed too deep".to_owned()),
            Trap::Interrupt => (FaultKind::Deadline, "was interrupted".to_owned()),
            other => (FaultKind::Trap, format!("trapped ({other})")),
        };
    }
    let root = error.root_cause().to_string();
    // wasmtime keeps these types to itself; their texts are what there is to tell them by.
    if root.contains("fuel allocated for hostcalls") {
        return (FaultKind::Flood, "copied more than 1 MiB to the host in one call".to_owned());
    }
    if root.contains("handle") && root.contains("limit") {
        return (FaultKind::Flood, "held too many handles".to_owned());
    }
    (FaultKind::Trap, format!("failed: {}", clean(&root, 300)))
}

/// A plugin's recent faults and whether it is left alone.
#[derive(Debug)]
pub(super) struct FaultLog {
    exempt: bool,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    total: u64,
    in_a_row: u32,
    until: Option<Instant>,
    trying: bool,
    last: Option<Fault>,
    costs: Costs,
}

/// What a plugin's record says, for `list_plugins`.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    pub(super) total: u64,
    pub(super) in_a_row: u32,
    pub(super) quarantined: Option<Duration>,
    pub(super) last: Option<Fault>,
    /// All calls, those that faulted among them.
    pub(super) calls: u64,
    /// As [`Costs::describe`].
    pub(super) costs: Value,
}

/// A call that was let through; tells the log how it went. Dropped unsaid (a cancelled call), it counts as neither.
#[derive(Debug)]
pub(super) struct Ticket {
    log: Arc<FaultLog>,
    trial: bool,
    said: bool,
}

impl FaultLog {
    /// An empty record; `exempt` ones (built-ins) are never quarantined.
    pub(super) fn new(exempt: bool) -> Self {
        Self { exempt, inner: Mutex::new(Inner::default()) }
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Lets a call through, or says how long the quarantine still lasts. After it, one call at a time tries.
    pub(super) fn admit(self: &Arc<Self>) -> Result<Ticket, Duration> {
        let mut inner = self.inner();
        let Some(until) = inner.until else {
            return Ok(Ticket { log: Arc::clone(self), trial: false, said: false });
        };
        let left = until.saturating_duration_since(Instant::now());
        if !left.is_zero() || inner.trying {
            return Err(left);
        }
        inner.trying = true;
        drop(inner);
        Ok(Ticket { log: Arc::clone(self), trial: true, said: false })
    }

    pub(super) fn standing(&self) -> Standing {
        let inner = self.inner();
        Standing {
            total: inner.total,
            in_a_row: inner.in_a_row,
            quarantined: inner.until.map(|until| until.saturating_duration_since(Instant::now())),
            last: inner.last.clone(),
            calls: inner.costs.calls(),
            costs: inner.costs.describe(),
        }
    }

    /// Ends a quarantine and a row of faults; the totals stay.
    pub(super) fn forgive(&self) {
        let mut inner = self.inner();
        inner.in_a_row = 0;
        inner.until = None;
    }

    #[cfg(test)]
    pub(super) fn expire_quarantine(&self) {
        let mut inner = self.inner();
        if inner.until.is_some() {
            inner.until = Some(Instant::now());
        }
    }
}

impl Ticket {
    /// The call only asked beforehand, and was answered: a row of faults goes on.
    pub(super) fn asked(self, function: &str, took: Duration) {
        self.log.inner().costs.add(function, took);
    }

    /// The call came back with an answer, whatever it said.
    pub(super) fn answered(mut self, function: &str, took: Duration) {
        self.said = true;
        let mut inner = self.log.inner();
        inner.costs.add(function, took);
        inner.in_a_row = 0;
        if self.trial {
            inner.trying = false;
            inner.until = None;
        }
    }

    /// The call ended in a fault.
    pub(super) fn faulted(mut self, fault: &Fault) {
        self.said = true;
        tracing::warn!(plugin = fault.plugin, kind = fault.kind.as_str(), function = fault.function, "plugin fault");
        let mut inner = self.log.inner();
        inner.costs.add(&fault.function, fault.took);
        inner.total += 1;
        inner.in_a_row = inner.in_a_row.saturating_add(1);
        inner.last = Some(fault.clone());
        if self.trial {
            inner.trying = false;
        }
        if !self.log.exempt && inner.in_a_row >= QUARANTINE_AFTER {
            inner.until = Some(Instant::now() + QUARANTINE_FOR);
            tracing::warn!(plugin = fault.plugin, "plugin quarantined after {QUARANTINE_AFTER} faults in a row");
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.trial && !self.said {
            self.log.inner().trying = false;
        }
    }
}
