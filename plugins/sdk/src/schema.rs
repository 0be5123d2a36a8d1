//! The JSON Schema of a type of arguments, in the form MCP clients take.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

/// The schema of `T` as JSON: a plain object without references, `null`s or `$schema`.
///
/// An `Option` is a member that may be absent; `null` is refused.
#[must_use]
pub fn arguments_schema<T: JsonSchema>() -> String {
    plain(T::json_schema)
}

/// Apart from the above, so that it is compiled once and not once for every type.
#[inline(never)]
fn plain(schema_of: fn(&mut SchemaGenerator) -> Schema) -> String {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = schema_of(&mut settings.into_generator());
    if let Some(root) = schema.as_object_mut() {
        root.entry("properties")
            .or_insert_with(|| Value::Object(serde_json::Map::new()));
        root.values_mut().for_each(tidy);
    }
    schema.as_value().to_string()
}

/// Drops what only Rust cares about: integer formats, `null` alternatives and defaults.
fn tidy(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(tidy),
        Value::Object(members) => {
            if members.get("format").is_some_and(Value::is_string) {
                members.remove("format");
            }
            if members.get("default") == Some(&Value::Null) {
                members.remove("default");
            }
            if let Some(Value::Array(types)) = members.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    members.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(values)) = members.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
            if let Some(inner) = sole_alternative(members) {
                members.remove("anyOf");
                for (name, value) in inner {
                    members.entry(name).or_insert(value);
                }
            }
            members.values_mut().for_each(tidy);
        }
        _ => {}
    }
}

/// What is left of `anyOf: [X, null]`.
fn sole_alternative(
    members: &serde_json::Map<String, Value>,
) -> Option<serde_json::Map<String, Value>> {
    let [Value::Object(inner), Value::Object(null)] = members.get("anyOf")?.as_array()?.as_slice()
    else {
        return None;
    };
    (null.get("type")? == "null").then(|| inner.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Selector;

    #[derive(serde::Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    #[expect(dead_code, reason = "only its schema is read")]
    struct Sample {
        /// Whom to greet.
        user_name: String,
        #[schemars(range(min = 100, max = 60_000))]
        timeout_ms: Option<u32>,
        /// Where.
        selector: Option<Selector>,
    }

    fn schema() -> Value {
        serde_json::from_str(&arguments_schema::<Sample>()).expect("a schema is JSON")
    }

    #[test]
    fn root_is_a_plain_strict_object() {
        let schema = schema();
        assert_eq!(schema["type"], "object");
        assert_eq!(schema["additionalProperties"], false);
        assert_eq!(schema["required"], serde_json::json!(["userName"]));
        for member in ["$schema", "$defs", "oneOf", "anyOf", "allOf", "if", "title"] {
            assert!(schema.get(member).is_none(), "{member}");
        }
    }

    #[test]
    fn optional_members_are_absent_or_right() {
        let schema = schema();
        assert_eq!(
            schema["properties"]["timeoutMs"],
            serde_json::json!({ "type": "integer", "minimum": 100, "maximum": 60_000 })
        );
        let selector = &schema["properties"]["selector"];
        assert_eq!(selector["description"], "Where.");
        assert_eq!(selector["type"], "object");
        assert_eq!(
            selector["properties"]["text"],
            serde_json::json!({ "type": "string" })
        );
        assert!(!schema.to_string().contains("null"), "{schema}");
        assert!(!schema.to_string().contains("$ref"), "{schema}");
    }
}
