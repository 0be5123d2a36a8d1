//! A step's session on the journey's one device: lands in the same tools, waits and actions as an agent's call.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use handset_model::snapshot::{Observation, delta};
use handset_model::ui::Selector;
use handset_model::{Code, Failure};
use serde_json::{Value, json};

use super::{Call, House, find};
use crate::action::{ResponseMode, SharedRead};
use crate::budget::Budget;
use crate::device::{BoxFuture, Session};
use crate::journey::{Journal, Stage, Step, StepRecord};
use crate::plugin::{Answer, EvidenceNote, Found, SessionOps, WaitOptions};
use crate::request::{Purpose, Request};
use crate::wait::{Condition, ElementWait, Reads, Wanted, stable_fingerprint, wait_for_element};

/// A step's own wait, when it states nothing (contract §8), ms.
const TIMEOUT_MS: u32 = 5_000;
/// Between its reads, ms.
const POLL_MS: u32 = 100;

/// What a light action leaves to the step after it: the screen its delta is against, and the first one seen since.
#[derive(Clone, Default)]
pub(super) struct Handover(Arc<Mutex<Looks>>);

#[derive(Default)]
struct Looks {
    base: Option<Arc<Observation>>,
    first: Option<Arc<Observation>>,
}

impl Handover {
    fn looks(&self) -> MutexGuard<'_, Looks> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first observation since the action is kept; later ones are not evidence of it.
    fn saw(&self, observation: &Arc<Observation>) {
        self.looks().first.get_or_insert_with(|| Arc::clone(observation));
    }
}

/// The journey's device, and what passes from one step to the next.
pub(super) struct JourneyStage {
    pub house: Arc<House>,
    pub session: Session,
    pub mode: ResponseMode,
    pub handover: Handover,
}

#[derive(Default)]
struct Book {
    records: Vec<Value>,
    notes: Vec<EvidenceNote>,
    owes_read: bool,
}

struct StepSession {
    house: Arc<House>,
    session: Session,
    request: Request,
    budget: Budget,
    mode: ResponseMode,
    shares: bool,
    label: String,
    book: Mutex<Book>,
    handover: Handover,
}

impl Stage for JourneyStage {
    fn open(&self, step: &Step, request: &Request, budget: &Budget, shares: bool) -> StepRecord {
        let opened = Arc::new(StepSession {
            house: Arc::clone(&self.house),
            session: self.session.clone(),
            request: request.clone(),
            budget: budget.clone(),
            mode: self.mode,
            shares,
            label: step.id.clone(),
            book: Mutex::default(),
            handover: self.handover.clone(),
        });
        StepRecord { ops: Arc::clone(&opened) as Arc<dyn SessionOps>, journal: opened }
    }

    fn complete(&self, result: &mut Value) {
        let Looks { base, first } = std::mem::take(&mut *self.handover.looks());
        if result["dispatch_started"] != json!(true) || result["success"] != json!(true) {
            return;
        }
        match first {
            Some(first) => {
                result["verification"]["status"] = json!("observed");
                match base {
                    Some(base) => result["state_delta"] = delta(Some(&base), &first),
                    None => result["state_delta_available"] = json!(false),
                }
            }
            None => {
                result["verification"]["status"] = json!("unavailable");
                result["verification_diagnostic"] = json!({ "code": "VERIFICATION_UNAVAILABLE", "retryable": true });
            }
        }
    }

    fn capture<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Option<Value>> {
        Box::pin(async move {
            let budget = Budget::new(Duration::from_secs(15), request.cancel.clone());
            let observation = self.session.observe(request, Purpose::Debug, &budget).await.ok()?;
            Some(crate::action::tree_json(crate::action::device_json(&self.session.pinned, None), &observation, None))
        })
    }
}

impl Journal for StepSession {
    fn record(&self, id: u32) -> Option<Value> {
        self.book().records.get(id as usize).cloned()
    }

    fn records(&self) -> Vec<Value> {
        self.book().records.clone()
    }

    fn notes(&self) -> Vec<EvidenceNote> {
        self.book().notes.clone()
    }

    fn owes_read(&self) -> bool {
        self.book().owes_read
    }
}

impl StepSession {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads of a step's own wait: inside its options and inside what is left of the step.
    fn reads(&self, options: WaitOptions) -> Reads<'_> {
        let timeout = Duration::from_millis(u64::from(options.timeout_ms.unwrap_or(TIMEOUT_MS).clamp(100, 300_000)));
        let interval = Duration::from_millis(u64::from(options.poll_interval_ms.unwrap_or(POLL_MS).clamp(50, 2_000)));
        Reads::new(&self.session, &self.request, Purpose::Assertion, self.budget.child(timeout), interval)
    }

    async fn call_tool(&self, name: &str, arguments: &str) -> Result<Answer, Failure> {
        let tool = find(name).ok_or_else(|| Failure::argument("tool", format!("there is no tool {name:?}")))?;
        let mut args: Value = serde_json::from_str(arguments).map_err(|error| {
            Failure::argument("arguments", format!("the arguments of {name} are not JSON: {error}"))
        })?;
        let Value::Object(members) = &mut args else {
            return Err(Failure::argument("arguments", format!("the arguments of {name} are not an object")));
        };
        // Platform and device are the journey's; a guest cannot name another.
        members.remove("deviceId");
        members.remove("platform");
        let action = tool.acts();
        // Not every action has two ways of answering.
        if action && !tool.input_schema()["properties"]["responseMode"].is_null() {
            members.insert("responseMode".into(), json!(self.mode));
        }
        let shares = self.shares && action;
        if shares {
            self.handover.looks().first = None;
        }
        let handover = self.handover.clone();
        let mut nested = self.request.nested();
        let ended = self.request.cancel.child_token();
        nested.cancel = ended.clone();
        // Also when this whole step is dropped: nothing may be spawned for it afterwards.
        let _ended = ended.clone().drop_guard();
        let call = Call {
            house: Arc::clone(&self.house),
            request: nested.clone(),
            args,
            pinned: Some(self.session.clone()),
            shared: if shares { SharedRead::NextStep } else { SharedRead::None },
            seen: Some(Arc::new(move |observation| handover.saw(observation))),
        };
        // Boxed: a step's tool may be anything but a journey, yet the types are recursive.
        let mut called = Box::pin(super::call(tool, call));
        let answered = match self.budget.run(&mut called).await {
            Ok(answered) => answered,
            // Ended rather than dropped: only the tool itself can say what it had sent by then.
            Err(stopped) => {
                ended.cancel();
                out_of_time(called.await, stopped, name)
            }
        };
        let (record, compact, success, code, started) = match answered {
            Ok(answer) => (
                answer.to_json(None),
                answer.to_json(Some(ResponseMode::Compact)),
                answer.success(),
                answer.failure_code(),
                answer.dispatch_started(),
            ),
            Err(failure) => {
                let mut shown = super::error_json(tool, &failure, &nested);
                shown["success"] = json!(false);
                shown["failure_code"] = json!(failure.code);
                (shown.clone(), shown, false, Some(failure.code), false)
            }
        };
        if shares && started {
            self.handover.looks().base = self.session.newest();
        }
        let mut book = self.book();
        if shares && started && success {
            book.owes_read = true;
            nested.declare_verification();
        }
        let id = u32::try_from(book.records.len()).unwrap_or(u32::MAX);
        book.records.push(record);
        Ok(Answer {
            id,
            success,
            failure_code: code.map(|code| code.to_string()),
            dispatch_started: started,
            body: compact.to_string(),
        })
    }
}

/// A call that its step's end cut short says so, and keeps what it knows of its delivery.
fn out_of_time(
    answered: Result<super::Answer, Failure>,
    stopped: crate::budget::Stopped,
    name: &str,
) -> Result<super::Answer, Failure> {
    let cut = |code| stopped.failure(code, &format!("calling {name}: the step's budget ended"));
    match answered {
        Ok(super::Answer::Action(mut report)) => {
            if let Some(failure) = report.failure.as_mut().filter(|failure| failure.code == Code::Cancelled) {
                *failure = cut(Code::ActionTimeout);
            }
            Ok(super::Answer::Action(report))
        }
        Err(failure) if failure.code == Code::Cancelled => Err(cut(Code::Timeout)),
        other => other,
    }
}

impl SessionOps for StepSession {
    fn platform(&self) -> String {
        self.session.pinned.key.platform.to_owned()
    }

    fn remaining_ms(&self) -> u32 {
        u32::try_from(self.budget.remaining().as_millis()).unwrap_or(u32::MAX)
    }

    fn observe(&self) -> BoxFuture<'_, Result<Arc<Observation>, Failure>> {
        Box::pin(async {
            let observation = self.session.observe(&self.request, Purpose::Answer, &self.budget).await?;
            self.handover.saw(&observation);
            Ok(observation)
        })
    }

    fn wait_for(
        &self,
        selector: String,
        condition: String,
        options: WaitOptions,
    ) -> BoxFuture<'_, Result<Found, Failure>> {
        Box::pin(async move {
            let selector: Selector = serde_json::from_str(&selector)
                .map_err(|error| Failure::argument("selector", format!("selector: {error}")))?;
            selector.validate("selector")?;
            let condition = Condition::from_name(&condition).ok_or_else(|| {
                Failure::argument(
                    "condition",
                    format!("{condition:?} is none of exists, not_exists, visible, clickable"),
                )
            })?;
            let wait = ElementWait { wanted: Wanted::Selector(selector), condition, index: options.index, needed: 2 };
            let mut reads = self.reads(options);
            let end = wait_for_element(&mut reads, &self.session.screens, &wait).await;
            if let Some(first) = reads.timeline.observations.first() {
                self.handover.saw(first);
            }
            match end.last {
                Some((screen, verdict)) if end.satisfied => Ok(Found { screen, element: verdict.element }),
                last => Err(reads.saw_nothing().unwrap_or_else(|| {
                    let matched = last.map_or(0, |(_, verdict)| verdict.matched);
                    Failure::new(
                        Code::Timeout,
                        format!("{matched} elements matched; {}", reads.shortfall(end.confirmed, 2, "timeoutMs")),
                    )
                })),
            }
        })
    }

    fn wait_for_screen(
        &self,
        fingerprint: String,
        options: WaitOptions,
    ) -> BoxFuture<'_, Result<Arc<Observation>, Failure>> {
        Box::pin(async move {
            let mut reads = self.reads(options);
            let found = stable_fingerprint(&mut reads, |seen| seen.fingerprint == fingerprint).await;
            if let Some(first) = reads.timeline.observations.first() {
                self.handover.saw(first);
            }
            found.ok_or_else(|| {
                reads.saw_nothing().unwrap_or_else(|| {
                    let last = reads.timeline.observations.last().map_or("none", |last| &last.fingerprint);
                    Failure::new(
                        Code::Timeout,
                        format!("the last fingerprint was {last}; {}", reads.shortfall(0, 2, "timeoutMs")),
                    )
                })
            })
        })
    }

    fn call(&self, tool: String, arguments: String) -> BoxFuture<'_, Result<Answer, Failure>> {
        Box::pin(async move { self.call_tool(&tool, &arguments).await })
    }

    fn progress(&self, message: String) {
        self.request.progress(0.0, None, format!("step {}: {message}", self.label));
    }

    fn note(&self, evidence: EvidenceNote) {
        self.book().notes.push(evidence);
    }

    fn element_id(&self, observation: &Arc<Observation>, index: u32) -> Option<String> {
        self.session.screens.element_id(observation, index)
    }
}
