//! Arguments schemas: what a plugin may give as one, and checking arguments against it.

use std::collections::{BTreeMap, BTreeSet};

use handset_model::{Failure, member};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::{Value, json};

use super::evidence::clean;
use super::limits::SCHEMA;
use super::names::nearest;

/// Keywords that may not stand at the root: clients drop tools whose root is not a plain object.
const NOT_AT_ROOT: [&str; 7] = ["oneOf", "anyOf", "allOf", "if", "not", "enum", "const"];
/// Keywords that apply a schema to the same value again.
const IN_PLACE: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
/// Shown of a value in a message.
const SHOWN: usize = 80;

/// A compiled arguments schema.
#[derive(Debug)]
pub(super) struct Arguments {
    pub(super) schema: Value,
    validator: Validator,
}

impl Arguments {
    /// Compiles a schema as a guest gave it.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub(super) fn compile(text: &str) -> Result<Self, String> {
        if text.len() > SCHEMA {
            return Err(format!("its schema has {} bytes; at most {SCHEMA} are taken", text.len()));
        }
        let schema: Value = serde_json::from_str(text).map_err(|why| format!("its schema is not JSON: {why}"))?;
        let Value::Object(root) = &schema else {
            return Err("its schema is not an object".to_owned());
        };
        if root.get("type") != Some(&json!("object")) {
            return Err("its schema's root must have \"type\": \"object\"".to_owned());
        }
        if let Some(keyword) = NOT_AT_ROOT.iter().find(|keyword| root.contains_key(**keyword)) {
            return Err(format!("its schema has {keyword:?} at the root; keep the root a plain object"));
        }
        check_references(&schema)?;
        let validator =
            jsonschema::validator_for(&schema).map_err(|why| format!("its schema is no JSON Schema: {why}"))?;
        Ok(Self { schema, validator })
    }

    /// Checks arguments.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the member, with what could be meant for an unknown one.
    pub(super) fn check(&self, arguments: &Value) -> Result<(), Failure> {
        // Unknown members first: they are most often the cause of the rest.
        let unknown =
            |error: &ValidationError<'_>| matches!(error.kind(), ValidationErrorKind::AdditionalProperties { .. });
        let errors = self.validator.iter_errors(arguments);
        let Some(error) = errors.min_by_key(|error| !unknown(error)) else { return Ok(()) };
        let at = member::of_pointer(error.instance_path().as_str());
        let known = || -> Vec<&str> { self.properties_at(error.instance_path().as_str()) };
        Err(match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                let name = unexpected.first().map_or("", String::as_str);
                let meant = nearest(name, known()).into_iter().map(Value::from).collect();
                refused(&member::join(&at, name), format!("there is no member {:?} here", clean(name, SHOWN)))
                    .with_candidates(meant)
            }
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                refused(&member::join(&at, name), format!("{name:?} is required"))
            }
            _ => refused(&at, clean(&error.masked_with("the value").to_string(), 300)),
        })
    }

    /// Members the schema lists for the object at a pointer; only through plain `properties`.
    fn properties_at(&self, pointer: &str) -> Vec<&str> {
        let mut schema = &self.schema;
        for part in pointer.split('/').skip(1) {
            let Some(next) = schema.get("properties").and_then(|all| all.get(part)) else { return Vec::new() };
            schema = next;
            if let Some(target) = schema.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'))
            {
                schema = self.schema.pointer(target).unwrap_or(schema);
            }
        }
        schema
            .get("properties")
            .and_then(Value::as_object)
            .map_or_else(Vec::new, |all| all.keys().map(String::as_str).collect())
    }
}

/// `INVALID_ARGUMENT` at a path; the root has no member of its own.
pub(super) fn refused(path: &str, message: String) -> Failure {
    Failure { member: (!path.is_empty()).then(|| path.to_owned()), ..Failure::argument("", message) }
}

/// References may go to the schema's own definitions only, and never round in a circle on one value:
/// checking such a schema would never end.
fn check_references(schema: &Value) -> Result<(), String> {
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut open = vec![(schema, String::new())];
    while let Some((value, place)) = open.pop() {
        match value {
            Value::Object(members) => {
                for banned in ["$dynamicRef", "$recursiveRef", "$id", "$anchor", "$dynamicAnchor"] {
                    if members.get(banned).is_some_and(Value::is_string) {
                        return Err(format!("its schema uses {banned:?}; only \"$ref\" to its own \"$defs\" is taken"));
                    }
                }
                if let Some(target) = members.get("$ref").and_then(Value::as_str) {
                    let local = target == "#" || target.starts_with("#/$defs/") || target.starts_with("#/definitions/");
                    if !local {
                        return Err(format!(
                            "its schema refers to {:?}; only its own \"$defs\" are taken",
                            clean(target, SHOWN)
                        ));
                    }
                    edges.entry(place.clone()).or_default().insert(target.trim_start_matches('#').to_owned());
                }
                for (name, inner) in members {
                    let inner_place = format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"));
                    if IN_PLACE.contains(&name.as_str()) || name == "dependentSchemas" {
                        edges.entry(place.clone()).or_default().insert(inner_place.clone());
                    }
                    open.push((inner, inner_place));
                }
            }
            Value::Array(items) => {
                for (index, inner) in items.iter().enumerate() {
                    let inner_place = format!("{place}/{index}");
                    edges.entry(place.clone()).or_default().insert(inner_place.clone());
                    open.push((inner, inner_place));
                }
            }
            _ => {}
        }
    }
    circle(&edges).map_or(Ok(()), |place| Err(format!("its schema refers to itself without end at {place:?}")))
}

/// A place from which the edges lead back to it, if there is one.
fn circle(edges: &BTreeMap<String, BTreeSet<String>>) -> Option<&String> {
    edges.keys().find(|start| {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&String> = edges[*start].iter().collect();
        while let Some(place) = open.pop() {
            if place == *start {
                return true;
            }
            if seen.insert(place) {
                open.extend(edges.get(place).into_iter().flatten());
            }
        }
        false
    })
}
