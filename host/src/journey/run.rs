//! Running validated steps and shaping what each left.

use std::sync::Arc;

use handset_model::{Code, Failure};
use serde_json::{Map, Value, json};

use super::{Plan, Step};
use crate::budget::Budget;
use crate::plugin::{EvidenceNote, Plugins, SessionOps, StepReport};
use crate::request::Request;

/// What the host recorded while a step ran.
pub trait Journal: Send + Sync {
    /// The host's own record of an answer the step shows.
    fn record(&self, id: u32) -> Option<Value>;
    /// Every record, in order.
    fn records(&self) -> Vec<Value>;
    /// Evidence given outside the report.
    fn notes(&self) -> Vec<EvidenceNote>;
    /// Whether an action left its light read to the next step.
    fn owes_read(&self) -> bool;
}

/// One step's access to the device, with the journal the host keeps of it.
pub struct StepRecord {
    /// What the component is handed.
    pub ops: Arc<dyn SessionOps>,
    /// What the host saw.
    pub journal: Arc<dyn Journal>,
}

/// Opens steps on the journey's one device; implemented by `tools`.
pub trait Stage: Send + Sync {
    /// Opens a step. With `shares`, its light action leaves its read to the step after it.
    fn open(&self, step: &Step, request: &Request, budget: &Budget, shares: bool) -> StepRecord;
    /// Completes a light action's record from the first read the next step made, if it made one.
    fn complete(&self, result: &mut Value);
    /// The failing step's tree, when asked for.
    fn capture<'a>(&'a self, request: &'a Request) -> crate::device::BoxFuture<'a, Option<Value>>;
}

/// Runs the steps in order until the first failure; cancel ends the one that runs.
pub async fn run(plugins: &Plugins, stage: &dyn Stage, plan: &Plan, request: &Request, capture: bool) -> Value {
    let total = u32::try_from(plan.steps.len()).unwrap_or(u32::MAX);
    let mut shown: Vec<Value> = Vec::with_capacity(plan.steps.len());
    let mut stopped_at: Option<&str> = None;
    let mut owed = false;
    for (number, step) in plan.steps.iter().enumerate() {
        if stopped_at.is_some() {
            shown.push(not_run(step));
            continue;
        }
        let done = u32::try_from(number).unwrap_or(u32::MAX);
        request.progress(f64::from(done), Some(f64::from(total)), format!("step {}: {}", step.id, step.kind));
        let nested = request.nested_step(&step.id);
        let budget = Budget::new(step.timeout, request.cancel.clone());
        let shares = shares_next(plugins, plan, number).await;
        let opened = stage.open(step, &nested, &budget, shares);
        let outcome = plugins.run_step(&step.kind, &step.args, Arc::clone(&opened.ops), &budget).await;
        if owed && let Some(previous) = shown.last_mut() {
            stage.complete(&mut previous["result"]);
        }
        owed = opened.journal.owes_read();
        let passed = matches!(&outcome, Ok(report) if report.passed);
        let mut result = result_of(step, outcome, &*opened.journal);
        if !passed {
            stopped_at = Some(&step.id);
            if capture && let Some(tree) = stage.capture(&nested).await {
                result.insert("failure_snapshot".into(), tree);
            }
        }
        shown.push(json!({
            "id": step.id,
            "type": step.kind,
            "status": if passed { "passed" } else { "failed" },
            "success": passed,
            "result": result,
            "timing": nested.timings.compact(),
        }));
    }
    if owed && let Some(last) = shown.iter_mut().rev().find(|step| step["status"] != "not_run") {
        stage.complete(&mut last["result"]);
    }
    request.progress(
        f64::from(total),
        Some(f64::from(total)),
        if stopped_at.is_none() { "all steps passed" } else { "stopped" },
    );
    json!({
        "success": stopped_at.is_none(),
        "stopped_at_step_id": stopped_at,
        "steps": shown,
        "timing": request.timings.full(),
    })
}

/// Whether the next step's very first read can serve this one's light action (contract §8, §12).
async fn shares_next(plugins: &Plugins, plan: &Plan, number: usize) -> bool {
    let light = plan.steps[number].args.get("verificationMode").and_then(Value::as_str) == Some("light");
    let Some(next) = plan.steps.get(number + 1).filter(|_| light && plan.steps[number].kind == "tap") else {
        return false;
    };
    matches!(plugins.first_look(&next.kind, &next.args).await, Ok(Some(look)) if look.condition == "visible")
}

fn not_run(step: &Step) -> Value {
    json!({
        "id": step.id,
        "type": step.kind,
        "status": "not_run",
        "success": false,
        "reason": "PREVIOUS_STEP_FAILED",
        "result": null,
        "timing": { "total_ms": 0 },
    })
}

/// A built-in step's result is the host's own record it shows; a third party's keeps its own words apart.
fn result_of(step: &Step, outcome: Result<StepReport, Failure>, journal: &dyn Journal) -> Map<String, Value> {
    let mut result = Map::new();
    let report = match outcome {
        Ok(report) => report,
        Err(failure) => {
            // What was done before it broke is evidence all the same.
            if let [.., last] = journal.records().as_slice() {
                result.insert("last_record".into(), last.clone());
            }
            result.insert("success".into(), json!(false));
            result.insert("failure_code".into(), json!(failure.code));
            result.insert("retryable".into(), json!(false));
            result.insert("error".into(), failure.to_json());
            return result;
        }
    };
    let records: Vec<Value> = report.shows.iter().filter_map(|id| journal.record(*id)).collect();
    match (step.custom, records.as_slice()) {
        (false, [Value::Object(only)]) => result = only.clone(),
        (_, []) => {}
        (_, several) => {
            result.insert("shows".into(), json!(several));
        }
    }
    if !report.passed {
        let code = report.failure_code.as_deref().and_then(Code::from_name).unwrap_or(Code::Unknown);
        result.insert("failure_code".into(), json!(report.failure_code.as_deref().unwrap_or(code.as_str())));
        if !result.contains_key("error") || step.custom {
            let message = report.message.clone().unwrap_or_else(|| format!("{} did not pass", step.kind));
            result.insert("error".into(), Failure::new(code, message).to_json());
        }
    }
    if step.custom {
        let mut evidence = report.evidence;
        evidence.extend(journal.notes());
        result.insert(
            "plugin".into(),
            json!({
                "name": step.plugin,
                "untrusted": true,
                "body": report.body,
                "message": report.message,
                "evidence": evidence.iter().map(note_json).collect::<Vec<_>>(),
            }),
        );
    } else if let Some(Value::Object(body)) = report.body {
        for (member, value) in body {
            result.entry(member).or_insert(value);
        }
    }
    result.entry("success").or_insert(json!(report.passed));
    if !report.passed {
        result.insert("success".into(), json!(false));
    }
    result
}

fn note_json(note: &EvidenceNote) -> Value {
    json!({
        "signal": note.signal,
        "heuristic": note.heuristic,
        "at": note.at.map(|(revision, index)| json!({ "snapshot_revision": revision, "index": index })),
        "detail": note.detail,
    })
}
