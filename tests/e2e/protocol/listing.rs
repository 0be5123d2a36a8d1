//! `tools/list`: what every client needs of it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Client, ServerOptions};

async fn tools(args: &[&str]) -> Vec<Value> {
    let args = args.iter().map(Into::into).collect();
    Client::start(&ServerOptions { args, ..ServerOptions::default() }, None).await.tools().await
}

fn name(tool: &Value) -> &str {
    tool["name"].as_str().unwrap()
}

/// Contract §4.
#[tokio::test(flavor = "multi_thread")]
async fn listings_are_small() {
    let bytes = |tools: &[Value]| serde_json::to_string(tools).unwrap().len();
    let (all, core) = (tools(&[]).await, tools(&["--tools", "core"]).await);
    assert!(bytes(&all) <= 1_536 * all.len(), "{} bytes in {} tools", bytes(&all), all.len());
    assert!(bytes(&core) < 30_000, "{} bytes", bytes(&core));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_says_what_it_is_for() {
    let all = tools(&[]).await;
    let mut names: Vec<&str> = all.iter().map(name).collect();
    assert!(names.len() >= 18, "{names:?}");
    names.dedup();
    assert!(names.is_sorted() && names.len() == all.len(), "{names:?}");
    for tool in &all {
        let title = tool["title"].as_str().or_else(|| tool["annotations"]["title"].as_str());
        assert!(title.is_some_and(|title| !title.is_empty()), "{}", name(tool));
        assert!(tool["description"].as_str().is_some_and(|text| (10..500).contains(&text.len())), "{}", name(tool));
        assert!(tool["annotations"]["readOnlyHint"].is_boolean(), "{}", name(tool));
        assert!(
            name(tool).len() <= 64 && name(tool).bytes().all(|b| b.is_ascii_lowercase() || b == b'_'),
            "{}",
            name(tool)
        );
    }
    let reads =
        |wanted: &str| all.iter().find(|tool| name(tool) == wanted).unwrap()["annotations"]["readOnlyHint"].clone();
    assert_eq!((reads("get_ui_tree"), reads("tap")), (json!(true), json!(false)));
}

/// Some clients drop a tool whose schema's root, or a member of it, is anything but an object.
#[tokio::test(flavor = "multi_thread")]
async fn every_schema_has_a_plain_object_root_and_object_members() {
    for tool in tools(&[]).await {
        for kind in ["inputSchema", "outputSchema"] {
            let schema = &tool[kind];
            let shown = format!("{} {kind}: {schema:#}", name(&tool));
            assert_eq!(schema["type"], "object", "{shown}");
            for keyword in ["oneOf", "anyOf", "allOf", "if", "not", "enum", "$ref"] {
                assert!(schema.get(keyword).is_none(), "{keyword} at the root of {shown}");
            }
            let members = schema["properties"].as_object().unwrap();
            assert!(members.values().all(Value::is_object), "{shown}");
            // The Inspector's command line, for one, looks for a member's type there and nowhere else.
            let untyped = |member: &Value| kind == "inputSchema" && member.get("type").is_none();
            assert!(!members.values().any(untyped), "a member of {shown} has no type");
            assert!(jsonschema::validator_for(schema).is_ok(), "{shown}");
            let required = schema["required"].as_array().into_iter().flatten();
            for member in required.filter_map(Value::as_str) {
                assert!(members.contains_key(member), "{member} of {shown}");
            }
        }
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{}", name(&tool));
        assert!(
            !tool["inputSchema"].to_string().contains("null"),
            "{}: an absent member is how nothing is said",
            name(&tool)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn profiles_list_a_part_and_call_all() {
    let all = tools(&[]).await;
    let core = tools(&["--tools", "core"]).await;
    assert!(core.len() <= all.len());
    let groups: Vec<Vec<Value>> = [
        tools(&["--tools", "manage"]).await,
        tools(&["--tools", "observe"]).await,
        tools(&["--tools", "interact,system"]).await,
    ]
    .into();
    assert_eq!(groups.iter().map(Vec::len).sum::<usize>(), all.len(), "every tool is in one group");
    let options = ServerOptions { args: ["--tools", "manage"].map(Into::into).into(), ..ServerOptions::default() };
    let client = Client::start(&options, None).await;
    assert!(client.tools().await.iter().all(|tool| name(tool) != "list_plugins"));
    let answer = client.rpc("tools/call", json!({ "name": "list_plugins", "arguments": {} })).await.unwrap();
    assert_eq!(answer["isError"], false, "what is not listed can be called: {answer:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_listing_waits_for_no_component() {
    let options = ServerOptions { cold_cache: true, ..ServerOptions::default() };
    let began = Instant::now();
    // Handshake and listing.
    let client = Client::start(&options, None).await;
    let served = began.elapsed();
    let plugins = client.plugins().await;
    let compiled = began.elapsed();
    assert!(plugins.iter().all(|plugin| plugin["state"] == "ready"), "{plugins:#?}");
    assert!(
        served < compiled && served < Duration::from_secs(3),
        "served after {served:?}, compiled after {compiled:?}"
    );
    let cache = client.folder().join("cache");
    assert!(walk(&cache).iter().any(|file| file.ends_with(".cwasm")), "what was compiled is kept: {:?}", walk(&cache));
}

fn walk(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let below = |entry: std::fs::DirEntry| {
        let path = entry.path();
        if path.is_dir() { walk(&path) } else { vec![path.display().to_string()] }
    };
    entries.flat_map(below).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_cache_everything_works_too() {
    let options = ServerOptions { args: vec!["--no-cache".into()], cold_cache: true, ..ServerOptions::default() };
    let client = Client::start(&options, None).await;
    let plugins = client.plugins().await;
    assert!(plugins.iter().all(|plugin| plugin["state"] == "ready"), "{plugins:#?}");
    assert!(walk(&client.folder().join("cache")).is_empty());
}
