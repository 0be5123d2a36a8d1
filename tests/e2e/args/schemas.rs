//! Every member of every tool, by what its advertised schema says: the schema is the check.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{assert_refused, untouched};
use crate::support::{Bench, Flavor};

/// A member of a tool's arguments: where it is, as JSON pointer and as a refusal names it, and its schema.
struct Member {
    pointer: String,
    path: String,
    schema: Value,
}

/// A schema with what its reference leads to.
fn resolved(root: &Value, schema: &Value) -> Value {
    let Some(reference) = schema["$ref"].as_str() else { return schema.clone() };
    let mut whole = resolved(root, root.pointer(&reference[1..]).expect("a definition"));
    for (keyword, value) in schema.as_object().into_iter().flatten().filter(|(keyword, _)| *keyword != "$ref") {
        whole[keyword] = value.clone();
    }
    whole
}

/// All members below a schema, each recursive definition entered once.
fn members(root: &Value, schema: &Value, pointer: &str, path: &str, entered: &[&str], found: &mut Vec<Member>) {
    let reference = schema["$ref"].as_str();
    if reference.is_some_and(|reference| entered.iter().filter(|one| **one == reference).count() > 1) {
        return;
    }
    let entered: Vec<&str> = entered.iter().copied().chain(reference).collect();
    let schema = resolved(root, schema);
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let (pointer, path) =
            (format!("{pointer}/{name}"), if path.is_empty() { name.clone() } else { format!("{path}.{name}") });
        found.push(Member { pointer: pointer.clone(), path: path.clone(), schema: resolved(root, member) });
        members(root, member, &pointer, &path, &entered, found);
    }
    if let Some(items) = schema.get("items") {
        members(root, items, &format!("{pointer}/0"), &format!("{path}[0]"), &entered, found);
    }
}

/// The least a schema takes.
fn least(root: &Value, schema: &Value) -> Value {
    let schema = resolved(root, schema);
    if let Some(first) = schema["enum"].as_array().and_then(|names| names.first()) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            required
                .map(|name| (name.to_owned(), least(root, &schema["properties"][name])))
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
        Some("array") => (0..schema["minItems"].as_u64().unwrap_or(0)).map(|_| least(root, &schema["items"])).collect(),
        Some("integer" | "number") => json!(schema["minimum"].as_i64().unwrap_or(1)),
        Some("boolean") => json!(true),
        Some("string") => json!("a"),
        _ => json!(true),
    }
}

/// The least the tool takes, and this at the pointer; what lies on the way there is made.
fn with(root: &Value, pointer: &str, value: Value) -> Value {
    let mut arguments = least(root, root);
    let mut schema = root.clone();
    let mut at = &mut arguments;
    let parts: Vec<&str> = pointer.split('/').skip(1).collect();
    for (number, part) in parts.iter().enumerate() {
        schema = if schema["type"] == "array" { &schema["items"] } else { &schema["properties"][*part] }.clone();
        schema = resolved(root, &schema);
        if number + 1 == parts.len() {
            break;
        }
        at = match at {
            Value::Array(items) => {
                // A list that may be empty is given its first item.
                if items.is_empty() {
                    items.push(least(root, &schema));
                }
                &mut items[0]
            }
            _ => &mut at[*part],
        };
        if at.is_null() {
            *at = least(root, &schema);
        }
    }
    match at {
        Value::Array(items) => items[0] = value,
        _ => at[*parts.last().unwrap()] = value,
    }
    arguments
}

/// Every way to be wrong that the schema names.
fn wrongs(schema: &Value) -> Vec<(&'static str, Value)> {
    let mut wrong = vec![("null", Value::Null)];
    match schema["type"].as_str() {
        Some("integer") => {
            wrong.extend([
                ("a string", json!("5")),
                ("a fraction", json!(5.5)),
                ("a list", json!([5])),
                ("a boolean", json!(true)),
            ]);
            if let Some(least) = schema["minimum"].as_i64() {
                wrong.extend([
                    ("below its least", json!(least - 1)),
                    ("far below", json!(-1e300)),
                    ("-2^60", json!(-(1_i64 << 60))),
                ]);
            }
            if let Some(most) = schema["maximum"].as_i64() {
                wrong.extend([
                    ("above its most", json!(most + 1)),
                    ("1e300", json!(1e300)),
                    ("2^60", json!(1_i64 << 60)),
                ]);
            }
        }
        Some("string") => {
            wrong.extend([("a number", json!(5)), ("an object", json!({})), ("a boolean", json!(false))]);
            if schema["minLength"] == 1 {
                wrong.push(("empty", json!("")));
            }
            if schema["enum"].is_array() {
                wrong.extend([
                    ("another name", json!("no such name")),
                    ("empty", json!("")),
                    ("in capitals", json!("ANDROID")),
                ]);
            }
        }
        Some("boolean") => wrong.extend([("a string", json!("true")), ("a number", json!(1))]),
        Some("object") => wrong.extend([("a string", json!("{}")), ("a list", json!([])), ("a number", json!(1))]),
        Some("array") => wrong.extend([("an object", json!({})), ("a string", json!("[]"))]),
        _ => wrong.extend([("an object", json!({})), ("a list", json!([]))]),
    }
    wrong
}

/// Members and schema of every tool as listed.
async fn tools(bench: &Bench) -> BTreeMap<String, (Value, Vec<Member>)> {
    let listed = bench.client.tools().await.into_iter();
    listed
        .map(|tool| {
            let schema = tool["inputSchema"].clone();
            let mut found = Vec::new();
            members(&schema, &schema, "", "", &[], &mut found);
            (tool["name"].as_str().unwrap().to_owned(), (schema, found))
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_member_refuses_what_its_schema_does_not_take() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    let (mut ranged, mut cases) = (0, 0);
    for (tool, (schema, members)) in tools(&bench).await {
        for member in members {
            ranged += usize::from(member.schema["minimum"].is_i64() && member.schema["maximum"].is_i64());
            for (what, wrong) in wrongs(&member.schema) {
                let arguments = with(&schema, &member.pointer, wrong);
                let case = format!("{tool} {} {what}: {arguments}", member.path);
                assert_refused(bench.client.call(&tool, arguments).await, &member.path, &case);
                cases += 1;
            }
        }
    }
    assert!(ranged > 30 && cases > 1_000, "the schemas were walked: {ranged} ranged members, {cases} cases");
    untouched(&bench);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_object_refuses_a_member_it_does_not_name() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    for (tool, (schema, members)) in tools(&bench).await {
        let closed = members.iter().filter(|member| member.schema["additionalProperties"] == false);
        let objects = closed.map(|member| (member.pointer.clone(), format!("{}.", member.path)));
        for (pointer, path) in objects.chain([(String::new(), String::new())]) {
            let arguments = with(&schema, &format!("{pointer}/qqqqqqqqqqqq"), json!(1));
            let case = format!("{tool} {arguments}");
            assert_refused(bench.client.call(&tool, arguments).await, &format!("{path}qqqqqqqqqqqq"), &case);
        }
    }
    untouched(&bench);
}

#[tokio::test(flavor = "multi_thread")]
async fn whole_numbers_may_be_written_as_fractions() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    let line = |id: i64, x: &str, y: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"tap","arguments":{{"x":{x},"y":{y},"verificationMode":"none"}}}}}}"#
        )
    };
    for (x, y) in [("540.0", "1170.0"), ("5.4e2", "1.17E3"), ("540.000", "11700e-1")] {
        let mark = bench.mark();
        let id = bench.client.fresh_id();
        bench.client.send_line(&line(id, x, y)).await;
        let answer = || bench.client.messages().into_iter().find(|message| message["id"] == id);
        crate::support::wait_until("an answer", || answer().is_some()).await;
        assert_eq!(answer().unwrap()["result"]["structuredContent"]["success"], true, "{x} {y}");
        assert_eq!(mark.one_input("tap", x).args, ["540", "1170"], "{x} {y}");
        bench.phone().goto("login");
    }
}
