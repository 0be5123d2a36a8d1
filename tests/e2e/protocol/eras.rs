//! Both eras of MCP: with a handshake, and without.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::support::{Client, Era, Flavor, ServerOptions, Setup, wait_until};

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

/// Without a handshake a request of a version nobody knows is told which ones are, and the next one is served.
#[tokio::test(flavor = "multi_thread")]
async fn a_stateless_request_of_an_unknown_version_is_told_which_are_known() {
    let client = Client::start(&speaking(Era::Stateless("2026-07-28")), None).await;
    for version in ["2031-01-01", "1999-01-01", "", "no version"] {
        for method in ["tools/list", "server/discover", "tools/call"] {
            let meta = json!({
                "io.modelcontextprotocol/protocolVersion": version,
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            let id = client.fresh_id();
            let params = json!({ "name": "list_plugins", "_meta": meta });
            client
                .send_line(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string())
                .await;
            wait_until("an answer", || client.messages().iter().any(|message| message["id"] == id)).await;
            let told = client.messages().into_iter().find(|message| message["id"] == id).unwrap();
            assert_eq!(told["error"]["code"], -32022, "{version} {method}: {told:#}");
            let supported = told["error"]["data"]["supported"].as_array().unwrap();
            assert!(supported.contains(&json!("2026-07-28")) && supported.contains(&json!("2024-11-05")), "{told:#}");
        }
    }
    client.call("list_plugins", json!({})).await.fine();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stateless_request_that_does_not_say_what_it_speaks_is_told_what_is_missing() {
    let client = Client::start(&speaking(Era::Stateless("2026-07-28")), None).await;
    let complete = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    for missing in ["io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"] {
        let mut meta = complete.clone();
        meta.as_object_mut().unwrap().remove(missing);
        let id = client.fresh_id();
        let line = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list", "params": { "_meta": meta } });
        client.send_line(&line.to_string()).await;
        wait_until("an answer", || client.messages().iter().any(|message| message["id"] == id)).await;
        let told = client.messages().into_iter().find(|message| message["id"] == id).unwrap();
        assert_eq!(told["error"]["code"], -32602, "{told:#}");
        assert!(told["error"]["message"].as_str().unwrap().contains(missing), "{told:#}");
    }
    client.call("list_plugins", json!({})).await.fine();
}

/// Found by these tests: a notification before the handshake ended the server.
#[tokio::test(flavor = "multi_thread")]
async fn what_comes_before_the_conversation_does_not_end_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = ServerOptions::default().spawn(None, folder.path());
    let mut stdin = child.stdin.take().unwrap();
    let about = json!({ "name": "handset-e2e", "version": "0" });
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about });
    for message in [
        json!("rubbish"),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }),
        json!({ "jsonrpc": "2.0", "method": "notifications/of/another/protocol", "params": {} }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
        json!({ "jsonrpc": "2.0", "id": 77, "result": {} }),
        json!({ "jsonrpc": "2.0", "id": 3, "method": "initialize", "params": { "protocolVersion": 5 } }),
        json!({ "jsonrpc": "2.0", "id": 4, "method": "initialize", "params": hello }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/list" }),
    ] {
        stdin.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut told = Vec::new();
    for _ in 0..5 {
        let line = lines.next_line().await.unwrap().expect("it goes on");
        told.push(serde_json::from_str::<Value>(&line).unwrap());
    }
    let ids: Vec<i64> = told.iter().map(|told| told["id"].as_i64().unwrap()).collect();
    assert_eq!(ids, [1, 2, 3, 4, 5]);
    assert!(told[0]["result"].is_object() && told[3]["result"]["serverInfo"].is_object(), "{told:?}");
    assert!(told[1]["error"]["code"] == -32602 && told[2]["error"]["code"] == -32602, "{told:?}");
    assert!(told[4]["result"]["tools"].as_array().is_some_and(|tools| tools.len() >= 18), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_one_era_takes_requests_of_the_other() {
    let client = Client::start(&speaking(Era::Initialize("2025-06-18")), None).await;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let stateless = json!({ "name": "list_plugins", "arguments": {}, "_meta": meta });
    assert_eq!(client.rpc("tools/call", stateless).await.unwrap()["isError"], false);
    let discovered = client.rpc("server/discover", json!({ "_meta": meta })).await.unwrap();
    assert!(discovered["supportedVersions"].is_array(), "{discovered:#}");
    client.call("list_plugins", json!({})).await.fine();
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
