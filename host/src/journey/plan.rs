//! From a journey's JSON to steps that may run.

use std::collections::HashSet;
use std::time::Duration;

use handset_model::{Code, Failure};
use serde_json::{Map, Value, json};

use crate::action::{GuardArgs, Precondition};
use crate::plugin::{Plugins, StepType};

/// A third party's step, when it states no timeout (contract §8), ms.
const CUSTOM_MS: u64 = 30_000;

/// A built-in step is bounded by the tools it calls; this ends one that calls too many.
const BUILT_IN: Duration = Duration::from_secs(310);

/// What steps inherit where their type takes the member.
#[derive(Clone, Debug, Default)]
pub struct Defaults {
    /// `verificationMode`, `actionTimeoutMs`, `verificationTimeoutMs` as given.
    pub members: Map<String, Value>,
}

/// One validated step.
#[derive(Clone, Debug)]
pub struct Step {
    /// Unique in its journey.
    pub id: String,
    /// `tap`, or `plugin/step`.
    pub kind: String,
    /// What its component gets.
    pub args: Value,
    /// Its budget.
    pub timeout: Duration,
    /// Provided by a third party.
    pub custom: bool,
    /// Plugin that provides it.
    pub plugin: String,
}

/// A validated journey.
#[derive(Clone, Debug)]
pub struct Plan {
    /// In order.
    pub steps: Vec<Step>,
}

/// Validates every step: ids, types, schemas, grants, and what only its component can say.
///
/// # Errors
/// `INVALID_ARGUMENT` with the member's path; `PLUGIN_DENIED`; `PLUGIN_FAULT`.
pub async fn plan(plugins: &Plugins, steps: &[Map<String, Value>], defaults: &Defaults) -> Result<Plan, Failure> {
    let mut ids = HashSet::new();
    let mut planned = Vec::with_capacity(steps.len());
    for (number, given) in steps.iter().enumerate() {
        let path = format!("steps[{number}]");
        let text = |member: &str| given.get(member).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, kind) = (text("id"), text("type"));
        if !ids.insert(id.clone()) {
            return Err(Failure::argument(format!("{path}.id"), format!("step id {id:?} is used twice")));
        }
        let found =
            plugins.step_type(&kind).map_err(|failure| Failure { member: Some(format!("{path}.type")), ..failure })?;
        let step = shape(&path, given, found, id, kind, defaults)?;
        plugins.validate_step(&step.kind, &step.args).await.map_err(|failure| {
            if failure.code == Code::PluginDenied {
                return Failure { member: Some(format!("{path}.type")), ..failure };
            }
            let inner = if step.custom { format!("{path}.args") } else { path.clone() };
            relocated(failure, &inner)
        })?;
        if let Some(given) = step.args.get("precondition").filter(|_| !step.custom) {
            predicates(plugins, given).await.map_err(|failure| relocated(failure, &path))?;
        }
        planned.push(step);
    }
    Ok(Plan { steps: planned })
}

/// What a step's component cannot know: which predicates there are, and what they take.
async fn predicates(plugins: &Plugins, given: &Value) -> Result<(), Failure> {
    let precondition: Precondition =
        serde_json::from_value(given.clone()).map_err(|error| Failure::argument("precondition", error.to_string()))?;
    GuardArgs { expected: None, precondition: Some(precondition) }.validate(plugins).await
}

/// Built-in steps carry their members beside `id` and `type`; a third party's are under `args`.
fn shape(
    path: &str,
    given: &Map<String, Value>,
    found: StepType,
    id: String,
    kind: String,
    defaults: &Defaults,
) -> Result<Step, Failure> {
    let custom = !found.built_in;
    let mut members = given.clone();
    members.remove("id");
    members.remove("type");
    if !custom {
        let takes =
            |member: &str| found.schema.get("properties").is_some_and(|properties| properties.get(member).is_some());
        for (member, value) in &defaults.members {
            if takes(member) {
                members.entry(member.clone()).or_insert_with(|| value.clone());
            }
        }
        return Ok(Step { id, kind, args: Value::Object(members), timeout: BUILT_IN, custom, plugin: found.plugin });
    }
    let timeout = match members.remove("timeoutMs") {
        None => CUSTOM_MS,
        Some(value) => value.as_u64().filter(|ms| (100..=300_000).contains(ms)).ok_or_else(|| {
            Failure::argument(format!("{path}.timeoutMs"), "timeoutMs is a whole number of milliseconds, 100 to 300000")
        })?,
    };
    let args = members.remove("args").unwrap_or_else(|| json!({}));
    if !args.is_object() {
        return Err(Failure::argument(format!("{path}.args"), "args is an object"));
    }
    if let Some(name) = members.keys().next() {
        let known = ["id", "type", "args", "timeoutMs"].map(str::to_owned);
        let near: Vec<Value> =
            known.iter().filter(|known| known.eq_ignore_ascii_case(name)).map(|known| json!(known)).collect();
        return Err(Failure::argument(
            format!("{path}.{name}"),
            format!("{path}.{name} is not a member of a plugin's step: put it under args"),
        )
        .with_candidates(near));
    }
    Ok(Step { id, kind, args, timeout: Duration::from_millis(timeout), custom, plugin: found.plugin })
}

/// The component names members of its own arguments; the caller knows them under the step's path.
fn relocated(failure: Failure, path: &str) -> Failure {
    let member = match failure.member.as_deref() {
        None | Some("" | "arguments") => path.to_owned(),
        Some(member) => member.split('.').fold(path.to_owned(), |path, part| {
            let number = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            if number { format!("{path}[{part}]") } else { format!("{path}.{part}") }
        }),
    };
    Failure { member: Some(member), ..failure }
}
