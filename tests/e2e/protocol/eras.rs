//! Both eras of MCP: with a handshake, and without.

use serde_json::{Value, json};

use crate::support::{Client, Era, Flavor, ServerOptions, Setup};

fn speaking(era: Era) -> ServerOptions {
    ServerOptions { era, ..ServerOptions::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_handshake_answers_in_the_version_it_was_asked_for() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let client = Client::start(&speaking(Era::Initialize(version)), None).await;
        assert_eq!(client.greeting["protocolVersion"], version);
        assert_eq!(client.greeting["serverInfo"]["name"], "handset", "{version}");
        assert_eq!(client.greeting["serverInfo"]["version"], env!("CARGO_PKG_VERSION"), "{version}");
        assert!(client.greeting["capabilities"]["tools"].is_object(), "{version}: {:#}", client.greeting);
        assert!(client.greeting["instructions"].as_str().is_some_and(|text| text.contains("untrusted")), "{version}");
        client.call("list_plugins", json!({})).await.fine();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_nobody_knows_is_answered_with_one_that_is() {
    let client = Client::start(&speaking(Era::Initialize("2031-01-01")), None).await;
    let offered = client.greeting["protocolVersion"].as_str().unwrap();
    assert!(["2025-11-25", "2026-07-28"].contains(&offered), "{offered}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_handshake_every_request_carries_its_version() {
    let bench =
        Setup::new("counter", Flavor::StandIn).server(|server| server.era = Era::Stateless("2026-07-28")).start().await;
    let discovered = &bench.client.greeting;
    assert!(discovered["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{discovered:#}");
    assert!(discovered["capabilities"]["tools"].is_object(), "{discovered:#}");
    let mark = bench.mark();
    bench.call("tap_element", json!({ "selector": { "text": "Increment" } })).await.succeeded();
    mark.one_input("tap", "stateless");
    let error = bench.client.rpc("tools/call", json!({ "name": "tap_elment", "arguments": {} })).await.unwrap_err();
    assert_eq!((&error["code"], &error["data"]["error"]["candidates"][0]), (&json!(-32602), &json!("tap_element")));
}

#[tokio::test(flavor = "multi_thread")]
async fn both_eras_list_the_same_tools() {
    let names = |tools: Vec<Value>| tools.into_iter().map(|tool| tool["name"].clone()).collect::<Vec<_>>();
    let handshake = Client::start(&speaking(Era::Initialize("2025-11-25")), None).await;
    let stateless = Client::start(&speaking(Era::Stateless("2026-07-28")), None).await;
    assert_eq!(names(handshake.tools().await), names(stateless.tools().await));
}

#[tokio::test(flavor = "multi_thread")]
async fn ping_is_answered_while_a_call_runs() {
    let bench = Setup::new("login", Flavor::StandIn).start().await;
    super::hang_reads(&bench);
    let mut call = bench.client.begin("get_ui_tree", json!({})).await;
    super::a_read_runs(&bench).await;
    let began = std::time::Instant::now();
    bench.client.rpc("ping", json!({})).await.unwrap();
    assert!(began.elapsed() < std::time::Duration::from_secs(1) && !call.answered());
    let error = bench.client.rpc("no/such/method", json!({})).await.unwrap_err();
    assert_eq!(error["code"], -32601);
    call.cancel().await;
}
