//! What tools/list shows.

use serde_json::Value;

use crate::support::{Client, ServerOptions};

async fn listed(profile: &str) -> Vec<Value> {
    let options = ServerOptions { args: vec!["--tools".into(), profile.into()], ..ServerOptions::default() };
    Client::start(&options, None).await.tools().await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_is_plain_and_says_what_it_answers() {
    let tools = listed("all").await;
    for tool in &tools {
        let input = &tool["inputSchema"];
        assert_eq!(input["type"], "object", "{tool:#}");
        for odd in ["oneOf", "anyOf", "allOf", "if", "not"] {
            assert!(input.get(odd).is_none(), "{odd} at the root of {}", tool["name"]);
        }
        assert_eq!(input["additionalProperties"], false, "{}", tool["name"]);
        assert_eq!(tool["outputSchema"]["type"], "object", "{}", tool["name"]);
        assert!(tool["description"].as_str().is_some_and(|text| !text.is_empty()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_takes_a_kilobyte_and_a_half_on_average() {
    let tools = listed("all").await;
    let bytes: usize = tools.iter().map(|tool| tool.to_string().len()).sum();
    assert!(bytes / tools.len() <= 1_536, "{bytes} bytes for {} tools", tools.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_core_profile_fits_a_small_client() {
    let core = listed("core").await;
    let bytes: usize = core.iter().map(|tool| tool.to_string().len()).sum();
    assert!(bytes <= 30 * 1024, "{bytes} bytes");
    let some = listed("observe,system").await;
    assert!(some.iter().all(|tool| tool["name"] != "tap") && some.iter().any(|tool| tool["name"] == "get_ui_tree"));
}
