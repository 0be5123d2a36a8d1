//! The bench itself: each adb, each era, the whole way to the phone and back.

use serde_json::json;

use crate::support::{Bench, Client, Era, Flavor, ServerOptions, Setup, on_each_adb};

on_each_adb! {
    async fn a_tree_is_read_and_a_tap_arrives(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let tree = bench.call("get_ui_tree", json!({})).await.fine();
        assert_eq!(tree["/device/id"], bench.device);
        let mark = bench.mark();
        bench.call("tap_element", json!({ "selector": { "text": "Increment" } })).await.succeeded();
        assert_eq!(mark.one_input("tap", "tap_element").element.as_deref(), Some("increment"));
        assert_eq!(bench.phone().text_of("value").as_deref(), Some("Count: 1"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_era_is_served() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let client =
            Client::start(&ServerOptions { era: Era::Initialize(version), ..ServerOptions::default() }, None).await;
        assert_eq!(client.greeting["protocolVersion"], version);
    }
    let stateless =
        Setup::new("counter", Flavor::StandIn).server(|server| server.era = Era::Stateless("2026-07-28")).start().await;
    stateless.call("tap_element", json!({ "selector": { "text": "Increment" } })).await.succeeded();
}
