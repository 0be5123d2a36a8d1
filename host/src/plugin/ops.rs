//! What a step's component may ask of the host, and what the host lends to pure calls.

use std::sync::Arc;

use handset_model::Failure;
use handset_model::snapshot::Observation;
use serde_json::Value;

use crate::device::BoxFuture;

/// Options of a wait, as the guest gave them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitOptions {
    /// Milliseconds; the tool's default when absent.
    pub timeout_ms: Option<u32>,
    /// Milliseconds between polls.
    pub poll_interval_ms: Option<u32>,
    /// Which match.
    pub index: Option<u32>,
}

/// A wait's end.
#[derive(Clone, Debug)]
pub struct Found {
    /// The screen that satisfied it.
    pub screen: Arc<Observation>,
    /// The element, where the condition names one.
    pub element: Option<u32>,
}

/// A tool's answer as the guest sees it; the host keeps the whole record under `id`.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Number of the host's own record of this answer, within the step.
    pub id: u32,
    /// The tool's own `success`.
    pub success: bool,
    /// Failure code, where it failed.
    pub failure_code: Option<String>,
    /// Native input was started.
    pub dispatch_started: bool,
    /// The compact answer as JSON.
    pub body: String,
}

/// A guest's evidence after the host checked it.
#[derive(Clone, Debug, PartialEq)]
pub struct EvidenceNote {
    /// Kebab-case name.
    pub signal: String,
    /// Revision and element, of an observation that was lent.
    pub at: Option<(u64, u32)>,
    /// A guess, not a firm sign.
    pub heuristic: bool,
    /// Short, control characters stripped.
    pub detail: Option<String>,
}

/// A step's access to the one device its journey is pinned to. Implemented by `tools`; each call is
/// bounded by what is left of the step's budget. Grants are checked by `plugin` before a call reaches it.
pub trait SessionOps: Send + Sync {
    /// `android` or `ios`.
    fn platform(&self) -> String;
    /// Milliseconds left for this step.
    fn remaining_ms(&self) -> u32;
    /// One fresh physical read.
    fn observe(&self) -> BoxFuture<'_, Result<Arc<Observation>, Failure>>;
    /// Polls until an element satisfies `condition`: exists, not_exists, visible, clickable.
    fn wait_for(
        &self,
        selector: String,
        condition: String,
        options: WaitOptions,
    ) -> BoxFuture<'_, Result<Found, Failure>>;
    /// Polls until the fingerprint is seen twice, at least 100 ms apart.
    fn wait_for_screen(
        &self,
        fingerprint: String,
        options: WaitOptions,
    ) -> BoxFuture<'_, Result<Arc<Observation>, Failure>>;
    /// A tool of the contract with its JSON arguments.
    fn call(&self, tool: String, arguments: String) -> BoxFuture<'_, Result<Answer, Failure>>;
    /// Progress of this step, shown to the client.
    fn progress(&self, message: String);
    /// Evidence outside the report.
    fn note(&self, evidence: EvidenceNote);
    /// The contract's `elementId` of an element of an observation this session lent.
    fn element_id(&self, observation: &Arc<Observation>, index: u32) -> Option<String>;
}

/// The reads of one request, oldest first, as lent to classifiers and predicates.
#[derive(Clone, Debug, Default)]
pub struct TimelineData {
    /// Successful reads, repeats of a revision included; never empty when lent.
    pub observations: Vec<Arc<Observation>>,
    /// Failed reads: code and monotonic ms.
    pub failures: Vec<(String, f64)>,
    /// The last input of this request: tool and monotonic ms.
    pub last_input: Option<(String, f64)>,
    /// Named probes as JSON: `anr`, `debugger`, `process`, `keyboard`, `activity`.
    pub probes: Vec<(String, Value)>,
}

/// The input a guard decides on. Typed text is replaced by its length before it gets here.
#[derive(Clone, Debug, Default)]
pub struct PendingInput {
    /// Tool name.
    pub tool: String,
    /// Its arguments as JSON.
    pub arguments: Value,
    /// Target element in the current observation, by identity.
    pub target: Option<u32>,
    /// Target element in the tree that resolved it.
    pub target_before: Option<u32>,
}
