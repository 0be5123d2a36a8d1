//! Lines that are no messages: what the log says of them, and what it does not.

use serde_json::json;

use crate::support::{Bench, Flavor, Setup, wait_until};

/// Sends lines that hold a secret and are no messages; each is on stderr by its length, the secret nowhere.
async fn ignored(bench: &Bench) {
    let secret = "sesame-open";
    let lines = [
        format!("{secret} is no JSON"),
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"{secret}","#),
        format!(r#"{{"jsonrpc":"2.0","id":7,"text":"{secret}"}}"#),
        format!(r#"["{secret}"]"#),
        format!(r#"{{"jsonrpc":"2.0","id":{{"{secret}":1}},"method":"{secret}"}}"#),
        format!("\u{1b}[31m{secret}\u{0}"),
    ];
    for line in &lines {
        bench.client.send_line(line).await;
        let said = format!("a line of {} bytes that is no message was ignored", line.len());
        wait_until(&said, || bench.client.stderr().contains(&said)).await;
    }
    let long = format!("{secret}{}", "x".repeat(17 << 20));
    bench.client.send_line(&long).await;
    let said = format!("a line of {} bytes was ignored", long.len());
    wait_until(&said, || bench.client.stderr().contains(&said)).await;
    // One that can be answered is; neither it nor a notification nobody knows is shown.
    let id = bench.client.fresh_id();
    bench.client.send_line(&json!({ "jsonrpc": "1.0", "id": id, "method": secret }).to_string()).await;
    wait_until("its sender is told", || {
        bench.client.messages().iter().any(|told| told["id"] == id && told["error"]["code"] == -32600)
    })
    .await;
    bench.client.notify(&format!("notifications/{secret}"), json!({ "text": secret })).await;
    bench.client.notify("notifications/cancelled", json!({ "requestId": 9_999, "reason": secret })).await;
    bench.client.rpc(secret, json!({ "text": secret })).await.unwrap_err();
    bench.call("list_plugins", json!({})).await.fine();
    bench.client.check_stdout();
    let log = bench.client.stderr();
    let shown: Vec<&str> = log.lines().filter(|line| line.contains(secret)).collect();
    assert!(shown.is_empty(), "{shown:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_is_no_message_is_logged_by_its_length_alone() {
    ignored(&Bench::new("login", Flavor::StandIn).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_everything_logged_its_content_is_not_either() {
    for filter in ["trace", "rmcp=trace,handset=trace"] {
        let setup =
            Setup::new("login", Flavor::StandIn).server(|server| server.env.push(("RUST_LOG".into(), filter.into())));
        ignored(&setup.start().await).await;
    }
}
