//! A condition as its caller writes it: the expected screen, and predicates combined.

use std::time::Duration;

use handset_model::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Guard;
use crate::plugin::Plugins;

/// The condition's own budget when none is given, ms (contract §7).
const TIMEOUT_MS: u64 = 15_000;

/// A precondition of this depth is refused.
const MAX_DEPTH: usize = 8;

/// A precondition of more predicates is refused.
const MAX_PREDICATES: usize = 16;

/// The screen the caller decided on (contract §7).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExpectedState {
    /// snapshot_session_id of get_ui_tree.
    #[schemars(description = "")]
    #[schemars(length(min = 1))]
    pub snapshot_session_id: String,
    /// snapshot_revision of get_ui_tree.
    #[schemars(description = "")]
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    pub snapshot_revision: u64,
    /// Default 15000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 100, max = 60000))]
    pub timeout_ms: Option<u64>,
}

/// A condition decided by predicate plugins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Precondition {
    /// Name, see list_plugins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicate: Option<String>,
    /// Its arguments.
    #[schemars(description = "")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub args: Option<Value>,
    /// All must hold.
    #[schemars(description = "")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<Map<String, Value>>>")]
    pub all: Option<Vec<Precondition>>,
    /// One must hold.
    #[schemars(description = "")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<Map<String, Value>>>")]
    pub any: Option<Vec<Precondition>>,
    /// Must not hold.
    #[schemars(description = "")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub not: Option<Box<Precondition>>,
    /// Milliseconds for the check's own read; 15 000 when not given.
    #[schemars(description = "")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 100, max = 60000))]
    pub timeout_ms: Option<u64>,
}

/// A precondition with its predicates numbered.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    /// The predicate of this number.
    Predicate(usize),
    /// All of these.
    All(Vec<Expression>),
    /// One of these.
    Any(Vec<Expression>),
    /// Not this.
    Not(Box<Expression>),
}

/// Three-valued: what cannot be told stays so unless the rest decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    Holds,
    Fails,
    Unknown,
}

impl Expression {
    pub(super) fn truth(&self, leaf: &impl Fn(usize) -> Truth) -> Truth {
        match self {
            Self::Predicate(number) => leaf(*number),
            Self::Not(inner) => match inner.truth(leaf) {
                Truth::Holds => Truth::Fails,
                Truth::Fails => Truth::Holds,
                Truth::Unknown => Truth::Unknown,
            },
            Self::All(parts) => fold(parts, leaf, Truth::Fails, Truth::Holds),
            Self::Any(parts) => fold(parts, leaf, Truth::Holds, Truth::Fails),
        }
    }
}

/// `decisive` wins over all; with none and nothing unknown, `otherwise`.
fn fold(parts: &[Expression], leaf: &impl Fn(usize) -> Truth, decisive: Truth, otherwise: Truth) -> Truth {
    let truths: Vec<Truth> = parts.iter().map(|part| part.truth(leaf)).collect();
    if truths.contains(&decisive) {
        decisive
    } else if truths.contains(&Truth::Unknown) {
        Truth::Unknown
    } else {
        otherwise
    }
}

/// Both guards of one input, as given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GuardArgs {
    /// The screen must be this one.
    pub expected: Option<ExpectedState>,
    /// These predicates must hold.
    pub precondition: Option<Precondition>,
}

impl GuardArgs {
    /// Whether anything guards the input.
    #[must_use]
    pub fn is_some(&self) -> bool {
        self.expected.is_some() || self.precondition.is_some()
    }

    /// What a schema cannot say, asked of the predicates too.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the member.
    pub async fn validate(&self, plugins: &Plugins) -> Result<(), Failure> {
        if let Some(expected) = &self.expected
            && expected.snapshot_session_id.trim().is_empty()
        {
            return Err(Failure::argument(
                "expectedState.snapshotSessionId",
                "expectedState.snapshotSessionId is blank",
            ));
        }
        if let Some(precondition) = &self.precondition {
            let mut predicates = Vec::new();
            flatten(precondition, "precondition", true, 0, &mut predicates)?;
            for (path, name, args) in &predicates {
                plugins.validate_predicate(name, args).await.map_err(|failure| under(failure, path))?;
            }
        }
        Ok(())
    }

    /// Makes the components' instances, so that nothing but asking them is left after the read.
    ///
    /// # Errors
    /// `PLUGIN_FAULT`, `INVALID_ARGUMENT`.
    pub async fn prepare(&self, plugins: &Plugins) -> Result<Guard, Failure> {
        let mut timeouts = Vec::new();
        let mut snapshot = None;
        if let Some(expected) = &self.expected {
            timeouts.push(expected.timeout_ms.unwrap_or(TIMEOUT_MS));
            let args = json!({
                "snapshotSessionId": expected.snapshot_session_id,
                "snapshotRevision": expected.snapshot_revision,
            });
            snapshot = Some(plugins.prepare_check("snapshot", args).await?);
        }
        let mut predicates = Vec::new();
        let mut expression = None;
        if let Some(precondition) = &self.precondition {
            timeouts.push(precondition.timeout_ms.unwrap_or(TIMEOUT_MS));
            let mut leaves = Vec::new();
            expression = Some(flatten(precondition, "precondition", true, 0, &mut leaves)?);
            for (_, name, args) in leaves {
                let check = plugins.prepare_check(&name, args).await?;
                predicates.push((name, check));
            }
        }
        Ok(Guard {
            expected: self.expected.clone(),
            snapshot,
            predicates,
            expression,
            timeout: Duration::from_millis(timeouts.into_iter().min().unwrap_or(TIMEOUT_MS)),
        })
    }
}

/// Numbers the predicates of a precondition in order; refuses what is neither a predicate nor one combination.
fn flatten(
    precondition: &Precondition,
    path: &str,
    root: bool,
    depth: usize,
    leaves: &mut Vec<(String, String, Value)>,
) -> Result<Expression, Failure> {
    if depth > MAX_DEPTH {
        return Err(Failure::argument(path, format!("{path} is nested deeper than {MAX_DEPTH}")));
    }
    if !root && precondition.timeout_ms.is_some() {
        return Err(Failure::argument(
            format!("{path}.timeoutMs"),
            "timeoutMs belongs to the whole precondition, not to a part of it",
        ));
    }
    let given = [
        precondition.predicate.is_some(),
        precondition.all.is_some(),
        precondition.any.is_some(),
        precondition.not.is_some(),
    ];
    if given.iter().filter(|given| **given).count() != 1 {
        return Err(Failure::argument(path, format!("{path} takes exactly one of predicate, all, any, not")));
    }
    if precondition.predicate.is_none() && precondition.args.is_some() {
        return Err(Failure::argument(format!("{path}.args"), "args belong to a predicate"));
    }
    let parts = |name: &str, parts: &[Precondition], leaves: &mut Vec<_>| {
        if parts.is_empty() {
            return Err(Failure::argument(format!("{path}.{name}"), format!("{path}.{name} is empty")));
        }
        parts
            .iter()
            .enumerate()
            .map(|(index, part)| flatten(part, &format!("{path}.{name}[{index}]"), false, depth + 1, leaves))
            .collect::<Result<Vec<_>, _>>()
    };
    if let Some(name) = &precondition.predicate {
        if leaves.len() == MAX_PREDICATES {
            return Err(Failure::argument(path, format!("a precondition takes at most {MAX_PREDICATES} predicates")));
        }
        leaves.push((path.to_owned(), name.clone(), precondition.args.clone().unwrap_or_else(|| json!({}))));
        return Ok(Expression::Predicate(leaves.len() - 1));
    }
    if let Some(all) = &precondition.all {
        return Ok(Expression::All(parts("all", all, leaves)?));
    }
    if let Some(any) = &precondition.any {
        return Ok(Expression::Any(parts("any", any, leaves)?));
    }
    match &precondition.not {
        Some(not) => Ok(Expression::Not(Box::new(flatten(not, &format!("{path}.not"), false, depth + 1, leaves)?))),
        None => Err(Failure::argument(path, format!("{path} takes exactly one of predicate, all, any, not"))),
    }
}

/// A predicate names members of its own arguments; the caller knows them under the precondition's path.
fn under(mut failure: Failure, path: &str) -> Failure {
    failure.member = Some(match failure.member {
        Some(member) if member == "predicate" => format!("{path}.predicate"),
        Some(member) if member.is_empty() => format!("{path}.args"),
        Some(member) => format!("{path}.args.{member}"),
        None => path.to_owned(),
    });
    failure
}
