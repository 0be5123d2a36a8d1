//! Concurrent callers on many phones of one server: what they call, what they check, what they count.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use simphone::{Fault, FaultKind, Phone};

use super::ledger::{Ledger, Sent};
use super::phones::{point, strangers, word};
use super::vitals::{Vitals, vitals};
use super::wire::{Called, Wire};

/// The last quarter of the phones gets faults; on the others every call must do what it is asked.
pub(crate) fn faulty(number: usize, of: usize) -> bool {
    number >= of - of / 4
}

/// A compact answer does not tell how long it waited for the device's turn.
const CHANGES: &str = "get_ui_tree, changes only, its waiting included";

/// What is called; a journey, a guard and a cancellation among them.
const KINDS: [&str; 12] = [
    "get_ui_tree",
    CHANGES,
    "wait_for_ui",
    "expect_element_visible",
    "tap",
    "tap, light",
    "tap, guarded",
    "tap_element",
    "run_journey",
    "get_readiness",
    "wait_for_readiness",
    "cancelled",
];

/// One server, its phones, and all that was seen.
pub(crate) struct Load {
    wire: Wire,
    phones: Arc<Vec<Phone>>,
    ids: Vec<String>,
    ledgers: Vec<Mutex<Ledger>>,
    seen: Mutex<Seen>,
    calls: AtomicU64,
}

/// What the callers saw.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Milliseconds of each call, by kind; waiting for the device's turn is left out where the answer tells it.
    pub(crate) took: BTreeMap<&'static str, Vec<f64>>,
    /// Answers that told of another phone, or not of their own.
    pub(crate) crossed: Vec<String>,
    /// Calls on phones without faults that failed, but for time.
    pub(crate) failed: Vec<String>,
    /// Calls that failed in time alone: a busy machine.
    pub(crate) late: usize,
    /// Calls on phones with faults that failed.
    pub(crate) faulted: usize,
    /// Guards that blocked, because another caller had changed the screen.
    pub(crate) blocked: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Small, repeatable.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 8).unwrap_or(0) % count
    }
}

impl Load {
    /// Over a server that sees these phones.
    pub(crate) fn new(wire: Wire, phones: Vec<Phone>) -> Self {
        Self {
            ids: phones.iter().map(|phone| phone.adb_addr().to_string()).collect(),
            ledgers: phones.iter().map(|_| Mutex::default()).collect(),
            phones: Arc::new(phones),
            wire,
            seen: Mutex::default(),
            calls: AtomicU64::new(0),
        }
    }

    /// Lets `callers` call at once for so long; a look at the server each second.
    pub(crate) async fn run(&self, callers: usize, time: Duration) -> Vec<Vitals> {
        let until = Instant::now() + time;
        let calling = (0..callers).map(|caller| self.caller(caller as u64 + 1, until));
        let watching = async {
            let mut looks = Vec::new();
            while Instant::now() < until {
                looks.push(vitals(self.wire.pid()));
                tokio::time::sleep(Duration::from_secs(1).min(until.saturating_duration_since(Instant::now()))).await;
            }
            looks
        };
        tokio::join!(futures::future::join_all(calling), watching).1
    }

    /// Waits until nothing is under way on any phone, and looks at the server then.
    pub(crate) async fn at_rest(&self) -> Vitals {
        for (number, phone) in self.phones.iter().enumerate() {
            phone.clear_faults();
            let arguments = self.aimed(number, json!({}));
            for _ in 0..4 {
                if self.wire.call("get_ui_tree", &arguments).await.result["isError"] != true {
                    break;
                }
            }
        }
        // What was cancelled is reaped in the background: until there is no child, and some time beyond.
        for _ in 0..100 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            if vitals(self.wire.pid()).children == 0 {
                break;
            }
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        vitals(self.wire.pid())
    }

    /// What the callers saw so far, from now on forgotten.
    pub(crate) fn seen(&self) -> Seen {
        std::mem::take(&mut lock(&self.seen))
    }

    /// What does not add up between calls and journals, and how many inputs do.
    pub(crate) fn audit(&self) -> (Vec<String>, usize) {
        let mut wrong = Vec::new();
        let mut certain = 0;
        for (number, (phone, ledger)) in self.phones.iter().zip(&self.ledgers).enumerate() {
            let ledger = lock(ledger);
            certain += ledger.certain();
            wrong.extend(ledger.audit(phone).into_iter().map(|what| format!("{}: {what}", word(number))));
        }
        (wrong, certain)
    }

    fn aimed(&self, number: usize, mut arguments: Value) -> Value {
        arguments["platform"] = json!("android");
        arguments["deviceId"] = json!(self.ids[number]);
        arguments
    }

    async fn caller(&self, seed: u64, until: Instant) {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        while Instant::now() < until {
            let number = dice.below(self.phones.len());
            if faulty(number, self.phones.len()) && dice.below(6) == 0 {
                self.phones[number].fault(fault(&mut dice));
            }
            let kind = KINDS[dice.below(KINDS.len())];
            self.one(number, kind, &mut dice).await;
        }
    }

    async fn one(&self, number: usize, kind: &'static str, dice: &mut Dice) {
        let heading = json!({ "resource_id": "heading" });
        let flip = json!({ "text": format!("Flip {}", word(number)) });
        let at = point(self.calls.fetch_add(1, Ordering::Relaxed));
        let patient = json!({ "actionTimeoutMs": 30_000, "verificationTimeoutMs": 60_000 });
        let tap = |mode: &str| {
            let mut arguments = patient.clone();
            (arguments["x"], arguments["y"], arguments["verificationMode"]) = (json!(at.0), json!(at.1), json!(mode));
            arguments
        };
        match kind {
            "get_ui_tree" => drop(self.call(number, kind, kind, json!({})).await),
            CHANGES => drop(self.call(number, kind, "get_ui_tree", json!({ "responseMode": "compact" })).await),
            "wait_for_ui" => drop(self.call(number, kind, kind, json!({ "selector": heading })).await),
            "expect_element_visible" => {
                let arguments = json!({ "selector": { "text": word(number), "contains": true }, "timeout_ms": 60_000 });
                drop(self.call(number, kind, kind, arguments).await);
            }
            "tap" | "tap, light" => {
                let mode = if kind == "tap" { "none" } else { "light" };
                let called = self.call(number, kind, "tap", tap(mode)).await;
                lock(&self.ledgers[number]).tapped(at, Sent::of(called.body()));
            }
            "tap, guarded" => {
                let tree = self.call(number, CHANGES, "get_ui_tree", json!({ "responseMode": "compact" })).await;
                let (session, revision) = (&tree.body()["snapshot_session_id"], &tree.body()["snapshot_revision"]);
                if revision.is_null() {
                    return;
                }
                let mut arguments = tap("none");
                arguments["expectedState"] =
                    json!({ "snapshotSessionId": session, "snapshotRevision": revision, "timeoutMs": 60_000 });
                let called = self.call(number, kind, "tap", arguments).await;
                lock(&self.ledgers[number]).tapped(at, Sent::of(called.body()));
            }
            "tap_element" => {
                let mut arguments = patient;
                arguments["selector"] = flip;
                let called = self.call(number, kind, kind, arguments).await;
                lock(&self.ledgers[number]).flipped(Sent::of(called.body()));
            }
            "run_journey" => {
                let arguments = json!({ "defaults": patient, "steps": [
                    { "id": "wait", "type": "wait", "selector": heading, "timeoutMs": 60_000 },
                    { "id": "flip", "type": "tap", "selector": flip, "verificationMode": "light" },
                    { "id": "see", "type": "assert", "timeoutMs": 60_000, "assertion": { "kind": "element_visible", "selector": heading } },
                ] });
                let called = self.call(number, kind, kind, arguments).await;
                let flipped =
                    called.body()["steps"].as_array().and_then(|steps| steps.get(1)).map(|step| &step["result"]);
                lock(&self.ledgers[number]).flipped(flipped.map_or(Sent::Not, flip_of));
            }
            "get_readiness" => drop(self.call(number, kind, kind, json!({})).await),
            "wait_for_readiness" => drop(self.call(number, kind, kind, json!({ "timeoutMs": 60_000 })).await),
            _ => self.cancelled(number, dice, &tap("light"), at).await,
        }
    }

    /// Something that is cancelled on its way, or done before that.
    async fn cancelled(&self, number: usize, dice: &mut Dice, tap: &Value, at: (u64, u64)) {
        let never = json!({ "selector": { "text": "no such text" } });
        let taps = dice.below(2) == 0;
        let (tool, arguments) = if taps { ("tap", tap.clone()) } else { ("wait_for_ui", never) };
        let begun = self.wire.begin(tool, &self.aimed(number, arguments)).await;
        let id = begun.id;
        let patience = Duration::from_millis(dice.below(300) as u64);
        let called = self.wire.end(begun, patience).await;
        let sent = match &called {
            Some(called) => {
                self.check(number, "cancelled", called);
                Sent::of(called.body())
            }
            None => {
                self.wire.cancel(id).await;
                Sent::Perhaps
            }
        };
        if taps {
            lock(&self.ledgers[number]).tapped(at, sent);
        }
    }

    async fn call(&self, number: usize, kind: &'static str, tool: &str, arguments: Value) -> Called {
        let called = self.wire.call(tool, &self.aimed(number, arguments)).await;
        self.check(number, kind, &called);
        let queued = called.body()["timing"]["queue_ms"].as_f64().unwrap_or(0.0);
        lock(&self.seen).took.entry(kind).or_default().push(called.ms() - queued);
        called
    }

    fn check(&self, number: usize, kind: &str, called: &Called) {
        let mut seen = lock(&self.seen);
        let body = called.body();
        let told = |what: &str| format!("{kind} on {}: {what}: {}", word(number), shortened(&called.line));
        if let Some(other) = strangers(&called.line, number) {
            seen.crossed.push(told(&format!("an answer with {other}")));
        }
        let text = String::from_utf8_lossy(&called.line);
        // A listing names all devices by right: only what is no refusal tells of one device.
        if let Some(other) = self.ids.iter().find(|id| **id != self.ids[number] && text.contains(&format!("{id}\""))) {
            seen.crossed.push(told(&format!("an answer with {other}")));
        }
        if kind == "get_ui_tree" && called.result["isError"] != true && !text.contains(&word(number)) {
            seen.crossed.push(told("a tree without its own word"));
        }
        if called.result["isError"] != true && body["success"] != false {
            return;
        }
        let code = body["failure_code"].as_str().or(body["error"]["code"].as_str()).unwrap_or("");
        match code {
            "PRECONDITION_FAILED" if kind == "tap, guarded" => seen.blocked += 1,
            _ if faulty(number, self.phones.len()) => seen.faulted += 1,
            "TIMEOUT" | "ACTION_TIMEOUT" => seen.late += 1,
            _ if kind == "wait_for_readiness" && body["readiness"].is_object() => seen.late += 1,
            _ => seen.failed.push(told(code)),
        }
    }
}

/// A tap step's own record, also where it broke on the way.
fn flip_of(result: &Value) -> Sent {
    match (Sent::of(result), &result["last_record"]) {
        (Sent::Not, record @ Value::Object(_)) => Sent::of(record),
        (sent, _) => sent,
    }
}

fn shortened(line: &[u8]) -> String {
    String::from_utf8_lossy(line).chars().take(600).collect()
}

/// What goes wrong now and then.
fn fault(dice: &mut Dice) -> Fault {
    let text = "java.lang.IllegalStateException: not now".to_owned();
    match dice.below(8) {
        0 => Fault::once("dump", FaultKind::NullRoot),
        1 => Fault::once("dump", FaultKind::Killed),
        2 => Fault::once("dump", FaultKind::NpeMidWalk),
        3 => Fault::once("dump", FaultKind::CutOutput { bytes: 300 }),
        4 => Fault::once("dump", FaultKind::Garbage { bytes: 512 }),
        5 => Fault::once("input", FaultKind::ErrorText { text, stderr: true, status: 1 }),
        6 => Fault::once("dump", FaultKind::SlowTrickle { bytes: 2_000, ms: 5 }),
        _ => Fault::once("any", FaultKind::Noise { text: "WARNING: linker: unused DT entry".to_owned(), stderr: true }),
    }
}
