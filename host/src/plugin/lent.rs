//! What a call holds: the observations it was lent, by handle and without copying a tree, and the state of its store.

use std::collections::HashMap;
use std::sync::Arc;

use handset_model::Failure;
use handset_model::snapshot::Observation;
use wasmtime::Store;
use wasmtime::component::{Resource, ResourceTable};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use super::evidence::{Lent, clean};
use super::faults::{Breach, Ended};
use super::grants::Granted;
use super::limits::{LOG_LINE, LOG_LINES, Memory, Meter, PINNED_BYTES};
use super::ops::{PendingInput, SessionOps, TimelineData};
use super::wasi::Tail;

/// Mints a contract `elementId` for an element of an observation.
pub type MintElementId = Arc<dyn Fn(&Arc<Observation>, u32) -> Option<String> + Send + Sync>;

/// Handle of `ui.observation`.
#[expect(unreachable_pub, reason = "the generated bindings export it again")]
#[derive(Debug)]
pub struct Screen(pub(super) Arc<Observation>);

/// Handle of `ui.timeline`.
#[expect(unreachable_pub, reason = "the generated bindings export it again")]
#[derive(Debug)]
pub struct Timeline(pub(super) Arc<TimelineData>);

/// Handle of `ui.comparison`.
#[expect(unreachable_pub, reason = "the generated bindings export it again")]
#[derive(Debug)]
pub struct Comparison {
    pub(super) current: Arc<Observation>,
    pub(super) baseline: Option<Arc<Observation>>,
    pub(super) pending: PendingInput,
    pub(super) history: Arc<TimelineData>,
}

/// Handle of `device.session`; what it may do is in the store's [`StepState`].
#[expect(unreachable_pub, reason = "the generated bindings export it again")]
#[derive(Debug)]
pub struct Session;

/// What a step's call has beside what every call has.
pub(super) struct StepState {
    pub(super) ops: Arc<dyn SessionOps>,
    pub(super) granted: Granted,
    pub(super) answers: Vec<u32>,
    pub(super) progress: u32,
    pub(super) notes: u32,
    /// The host's own failures as handed to the guest, so that one it passes on keeps its candidates and remedy.
    pub(super) failures: Vec<Failure>,
}

/// The data of every store.
pub(super) struct CallState {
    pub(super) plugin: Arc<str>,
    pub(super) settings: Arc<str>,
    pub(super) table: ResourceTable,
    pub(super) wasi: WasiCtx,
    pub(super) tail: Tail,
    pub(super) memory: Memory,
    pub(super) meter: Meter,
    pub(super) lent: Lent,
    pub(super) mint: MintElementId,
    pub(super) step: Option<StepState>,
    pinned: HashMap<usize, (u32, usize)>,
    pinned_bytes: usize,
    log_lines: u32,
}

impl CallState {
    pub(super) fn new(
        plugin: Arc<str>,
        settings: Arc<str>,
        memory: Memory,
        meter: Meter,
        mint: MintElementId,
        step: Option<StepState>,
    ) -> Self {
        let tail = Tail::default();
        Self {
            plugin,
            settings,
            table: ResourceTable::new(),
            wasi: super::wasi::empty(&tail),
            tail,
            memory,
            meter,
            lent: Lent::default(),
            mint,
            step,
            pinned: HashMap::new(),
            pinned_bytes: 0,
            log_lines: 0,
        }
    }

    /// Lends an observation by handle.
    pub(super) fn lend(&mut self, observation: Arc<Observation>) -> wasmtime::Result<Resource<Screen>> {
        self.lent.add(&observation);
        let entry = self.pinned.entry(Arc::as_ptr(&observation) as usize).or_insert_with(|| (0, size(&observation)));
        entry.0 += 1;
        if entry.0 == 1 {
            self.pinned_bytes += entry.1;
        }
        Ok(self.table.push(Screen(observation))?)
    }

    /// Whether one more observation fits into what a call may keep alive.
    pub(super) fn fits(&self, observation: &Arc<Observation>) -> bool {
        self.pinned.contains_key(&(Arc::as_ptr(observation) as usize))
            || self.pinned_bytes + size(observation) <= PINNED_BYTES
    }

    /// Takes a handle back.
    pub(super) fn give_back(&mut self, handle: Resource<Screen>) -> wasmtime::Result<()> {
        let Screen(observation) = self.table.delete(handle)?;
        let key = Arc::as_ptr(&observation) as usize;
        if let Some(entry) = self.pinned.get_mut(&key) {
            entry.0 -= 1;
            if entry.0 == 0 {
                self.pinned_bytes -= entry.1;
                self.pinned.remove(&key);
            }
        }
        Ok(())
    }

    /// The observation behind a handle; counts as a host call.
    pub(super) fn screen(&mut self, handle: &Resource<Screen>) -> wasmtime::Result<Arc<Observation>> {
        self.meter.host_call()?;
        Ok(Arc::clone(&self.table.get(handle)?.0))
    }

    /// A line for the log: cleaned, capped, counted; errors and warnings also go into the text of a fault.
    pub(super) fn log(&mut self, level: tracing::Level, message: &str) -> Result<(), Breach> {
        self.meter.host_call()?;
        self.meter.chatter(message.len())?;
        if level <= tracing::Level::WARN {
            self.tail.write(message.as_bytes());
            self.tail.write(b"\n");
        }
        self.log_lines += 1;
        if self.log_lines > LOG_LINES {
            return Ok(());
        }
        let (plugin, message) = (&*self.plugin, clean(message, LOG_LINE));
        match level {
            tracing::Level::ERROR => tracing::error!(target: "handset::guest", plugin, message),
            tracing::Level::WARN => tracing::warn!(target: "handset::guest", plugin, message),
            tracing::Level::INFO => tracing::info!(target: "handset::guest", plugin, message),
            _ => tracing::debug!(target: "handset::guest", plugin, message),
        }
        Ok(())
    }

    /// Says once how many log lines were left out.
    pub(super) fn close_log(&self) {
        if let Some(dropped) = self.log_lines.checked_sub(LOG_LINES).filter(|dropped| *dropped > 0) {
            tracing::warn!(target: "handset::guest", plugin = &*self.plugin, dropped, "log lines left out");
        }
    }
}

/// Drops a store with all it holds. What its end costs is part of the call.
pub(super) fn end(store: Store<CallState>) -> Ended {
    let state = store.data();
    let (plugin, tail, started) = (Arc::clone(&state.plugin), state.tail.take(), state.meter.started());
    drop(store);
    Ended { plugin, tail, took: started.elapsed() }
}

impl WasiView for CallState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

/// About how many bytes an observation keeps alive.
fn size(observation: &Observation) -> usize {
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    observation
        .tree
        .elements
        .iter()
        .map(|element| {
            size_of_val(element)
                + element.class.len()
                + text(&element.text)
                + text(&element.description)
                + text(&element.resource_id)
                + text(&element.stable_id)
                + text(&element.hint)
                + text(&element.test_tag)
                + element.children.len() * size_of::<u32>()
        })
        .sum()
}
