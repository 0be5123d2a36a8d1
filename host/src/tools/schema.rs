//! One schema per tool, advertised and enforced: made from the argument type, tidied, compiled once.

use std::borrow::Cow;

use handset_model::{Failure, member};
use jsonschema::error::ValidationErrorKind;
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

/// The input schema of an argument type: a closed object, without nulls, titles or number formats. What the type
/// is for, a reader of the code is told by its docs; an agent is told each member in one short sentence.
#[must_use]
pub(super) fn input_schema<T: JsonSchema>() -> Value {
    let generator = schemars::generate::SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<T>().to_value();
    tidy(&mut schema);
    if let Value::Object(root) = &mut schema {
        root.remove("$schema");
        root.remove("description");
        root.insert("type".into(), json!("object"));
        root.entry("properties").or_insert_with(|| json!({}));
        root.insert("additionalProperties".into(), json!(false));
        if let Some(Value::Object(types)) = root.get_mut("$defs") {
            for named in types.values_mut().filter_map(Value::as_object_mut) {
                named.remove("description");
            }
        }
        inline_small_types(root);
        say_types_at_references(root);
    }
    schema
}

/// Some clients look for a member's type beside its reference and nowhere else: it stands there, and only there.
fn say_types_at_references(root: &mut Map<String, Value>) {
    let Some(Value::Object(types)) = root.get_mut("$defs") else { return };
    let said: Map<String, Value> = types
        .iter_mut()
        .filter_map(|(name, named)| Some((name.clone(), named.as_object_mut()?.remove("type")?)))
        .collect();
    root.values_mut().for_each(|value| type_references(value, &said));
}

fn type_references(schema: &mut Value, types: &Map<String, Value>) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(|item| type_references(item, types)),
        Value::Object(object) => {
            let name = object.get("$ref").and_then(Value::as_str).and_then(|reference| reference.rsplit('/').next());
            if let Some(kind) = name.and_then(|name| types.get(name)).cloned() {
                object.insert("type".into(), kind);
            }
            object.values_mut().for_each(|value| type_references(value, types));
        }
        _ => {}
    }
}

/// A reference costs more than a short list of names.
fn inline_small_types(root: &mut Map<String, Value>) {
    let Some(Value::Object(types)) = root.remove("$defs") else { return };
    let (small, large): (Map<String, Value>, Map<String, Value>) =
        types.into_iter().partition(|(_, named)| !named.to_string().contains("$ref") && named.to_string().len() <= 200);
    if !large.is_empty() {
        root.insert("$defs".into(), Value::Object(large));
    }
    root.values_mut().for_each(|value| replace_references(value, &small));
}

fn replace_references(schema: &mut Value, types: &Map<String, Value>) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(|item| replace_references(item, types)),
        Value::Object(object) => {
            let named = object
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|reference| types.get(reference.rsplit('/').next()?));
            if let Some(Value::Object(named)) = named.cloned() {
                object.remove("$ref");
                object.extend(named);
            }
            object.values_mut().for_each(|value| replace_references(value, types));
        }
        _ => {}
    }
}

/// `name:type` pairs as an open object schema.
#[must_use]
pub(super) fn output_schema(members: &str) -> Value {
    let mut properties = Map::new();
    for member in members.split_whitespace() {
        let (name, kind) = member.split_once(':').unwrap_or((member, ""));
        let types: Vec<&str> = kind.split('|').filter(|kind| !kind.is_empty()).collect();
        let schema = match types.as_slice() {
            // An object, not `true`: some clients take only object schemas for members.
            [] => json!({}),
            [one] => json!({ "type": one }),
            several => json!({ "type": several }),
        };
        properties.insert(name.to_owned(), schema);
    }
    properties.insert("error".into(), json!({}));
    json!({ "type": "object", "properties": properties })
}

/// An absent member is how "not given" is written: null is refused, so the schema must not offer it.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(tidy),
        Value::Object(object) => {
            // Only where they are keywords: a member may bear the same name.
            for keyword in ["title", "format"] {
                if object.get(keyword).is_some_and(Value::is_string) {
                    object.remove(keyword);
                }
            }
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = text
                    .split("\n\n")
                    .next()
                    .unwrap_or_default()
                    .replace(['`', '\n'], " ")
                    .replace("  ", " ")
                    .trim()
                    .to_owned();
            }
            // Open is the default.
            if object.get("additionalProperties") == Some(&json!(true)) {
                object.remove("additionalProperties");
            }
            if object.get("default").is_some_and(Value::is_null) {
                object.remove("default");
            }
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|kind| kind != "null");
                if let [one] = types.as_slice() {
                    let one = one.clone();
                    object.insert("type".into(), one);
                }
            }
            if let Some(Value::Array(variants)) = object.get_mut("enum") {
                variants.retain(|variant| !variant.is_null());
            }
            let only = object.get_mut("anyOf").and_then(Value::as_array_mut).and_then(|variants| {
                variants.retain(|variant| variant.get("type") != Some(&json!("null")));
                (variants.len() == 1).then(|| variants.remove(0))
            });
            if let Some(Value::Object(only)) = only {
                object.remove("anyOf");
                object.extend(only);
            }
            flatten_constants(object);
            object.values_mut().for_each(tidy);
        }
        _ => {}
    }
}

/// Enums whose variants carry a description become `oneOf` constants; an agent needs only the names.
fn flatten_constants(object: &mut Map<String, Value>) {
    let Some(Value::Array(variants)) = object.get("oneOf") else { return };
    let names: Option<Vec<Value>> = variants
        .iter()
        .map(|variant| match (variant.get("const"), variant.get("enum")) {
            (Some(constant), _) => Some(vec![constant.clone()]),
            (None, Some(Value::Array(names))) => Some(names.clone()),
            _ => None,
        })
        .collect::<Option<Vec<_>>>()
        .map(|names| names.concat());
    if let Some(names) = names {
        object.remove("oneOf");
        object.insert("type".into(), json!("string"));
        object.insert("enum".into(), Value::Array(names));
    }
}

/// Whole numbers written as fractions (`5.0`) are whole.
pub(super) fn normalise(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(normalise),
        Value::Object(members) => members.values_mut().for_each(normalise),
        Value::Number(number) => {
            // 2^63: past it a number is no whole number of ours, and stays what it is.
            let whole =
                |float: &f64| !number.is_i64() && float.fract() == 0.0 && float.abs() < 9_223_372_036_854_775_808.0;
            if let Some(float) = number.as_f64().filter(whole) {
                #[expect(clippy::cast_possible_truncation, reason = "bounded above")]
                let whole = float as i64;
                *number = whole.into();
            }
        }
        _ => {}
    }
}

/// Checks arguments against a compiled schema.
///
/// # Errors
/// `INVALID_ARGUMENT` naming the first member at fault, with a did-you-mean for unknown ones.
pub(super) fn check(validator: &jsonschema::Validator, schema: &Value, arguments: &Value) -> Result<(), Failure> {
    let Some(error) = validator.iter_errors(arguments).min_by_key(|error| rank(error.kind())) else { return Ok(()) };
    let path = member::of_pointer(error.instance_path().as_str());
    Err(match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let name = unexpected.first().map_or("", String::as_str);
            let known = known_members(schema, &path);
            unknown_member(&member::join(&path, name), name, &known)
        }
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let member = member::join(&path, name);
            Failure::argument(member.clone(), format!("{member} is required"))
        }
        _ if arguments.is_object() && path.is_empty() => Failure::argument("arguments", error.to_string()),
        _ => {
            let member = if path.is_empty() { "arguments".to_owned() } else { path };
            Failure::argument(member.clone(), format!("{member}: {}", explain(&error)))
        }
    })
}

/// Unknown members first: they are most often the cause of the rest.
fn rank(kind: &ValidationErrorKind) -> u8 {
    match kind {
        ValidationErrorKind::AdditionalProperties { .. } => 0,
        ValidationErrorKind::Required { .. } => 2,
        _ => 1,
    }
}

fn explain(error: &jsonschema::ValidationError<'_>) -> String {
    let shown: Cow<'_, str> = {
        let text = error.instance().to_string();
        if text.chars().count() > 80 {
            Cow::Owned(text.chars().take(80).chain("…".chars()).collect())
        } else {
            Cow::Owned(text)
        }
    };
    match error.kind() {
        ValidationErrorKind::Type { kind } => {
            let wanted = match kind {
                jsonschema::error::TypeKind::Single(one) => one.to_string(),
                jsonschema::error::TypeKind::Multiple(many) => {
                    many.iter().map(|kind| kind.to_string()).collect::<Vec<_>>().join(" or ")
                }
            };
            format!("{shown} is not of type {wanted}")
        }
        ValidationErrorKind::Minimum { limit } => format!("{shown} is less than {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("{shown} is more than {limit}"),
        ValidationErrorKind::MinLength { .. } => "must not be empty".to_owned(),
        ValidationErrorKind::MaxItems { limit } => format!("takes at most {limit} entries"),
        ValidationErrorKind::MinItems { limit } => format!("takes at least {limit} entries"),
        ValidationErrorKind::Enum { options } => format!("{shown} is not one of {options}"),
        _ => error.masked().to_string(),
    }
}

/// Members the object at `path` takes, through `$ref`s and array items.
fn known_members(schema: &Value, path: &str) -> Vec<String> {
    let mut at = follow(schema, schema);
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let (name, indexes) = part.split_once('[').map_or((part, ""), |(name, rest)| (name, rest));
        if !name.is_empty() {
            at = follow(schema, &at["properties"][name]);
        }
        for _ in indexes.matches(']') {
            at = follow(schema, &at["items"]);
        }
    }
    at.get("properties").and_then(Value::as_object).map(|members| members.keys().cloned().collect()).unwrap_or_default()
}

/// The schema a chain of `$ref`s ends in.
fn follow<'a>(root: &'a Value, mut at: &'a Value) -> &'a Value {
    while let Some(next) =
        at.get("$ref").and_then(Value::as_str).and_then(|reference| root.pointer(reference.strip_prefix('#')?))
    {
        at = next;
    }
    at
}

/// Refuses an unknown member, with the known ones that could be meant.
fn unknown_member(member: &str, name: &str, known: &[String]) -> Failure {
    let near = nearest(name, known.iter().map(String::as_str));
    let message = match near.first() {
        Some(first) => format!("{member} is not a member; did you mean {first}?"),
        None => format!("{member} is not a member"),
    };
    Failure::argument(member, message).with_candidates(near.into_iter().map(Value::from).collect())
}

/// Names like `name`, nearest first: equal but for case and separators, a few edits away, or longer.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    let plain =
        |text: &str| text.chars().filter(char::is_ascii_alphanumeric).take(64).collect::<String>().to_ascii_lowercase();
    // The distance costs the product of both lengths, and a caller may send a name of any.
    let wanted = plain(name);
    let mut near: Vec<(usize, &str)> = known
        .filter_map(|candidate| {
            let candidate_plain = plain(candidate);
            let distance = strsim::damerau_levenshtein(&wanted, &candidate_plain);
            let close = distance <= 1 + wanted.len().min(12) / 4
                || (wanted.len() >= 3
                    && (candidate_plain.starts_with(&wanted) || wanted.starts_with(&candidate_plain)))
                || (wanted.len() >= 5 && candidate_plain.contains(&wanted));
            close.then_some((distance, candidate))
        })
        .collect();
    near.sort_unstable();
    near.into_iter().take(handset_model::code::MAX_CANDIDATES).map(|(_, name)| name.to_owned()).collect()
}
