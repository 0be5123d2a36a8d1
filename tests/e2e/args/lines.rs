//! Lines that are no messages: no reply, and the next request is served.

use serde_json::{Value, json};

use super::untouched;
use crate::support::{Bench, Flavor, wait_until};

/// Sends a line that holds a request with this id, in whatever state.
async fn unanswered(bench: &Bench, line: impl FnOnce(i64) -> String) {
    let id = bench.client.fresh_id();
    let line = line(id);
    bench.client.send_line(&line).await;
    bench.call("list_plugins", json!({})).await.fine();
    let answers: Vec<Value> = bench.client.messages().into_iter().filter(|message| message["id"] == id).collect();
    let shown: String = line.chars().take(120).collect();
    assert!(answers.is_empty(), "{shown}: {answers:?}");
    bench.client.check_stdout();
}

fn call(id: i64, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_is_no_json_gets_no_reply() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    for number in ["NaN", "Infinity", "-Infinity", "1e999", "01", "0x10", "5."] {
        unanswered(&bench, |id| call(id, "tap", &format!(r#"{{"x":{number},"y":1}}"#))).await;
    }
    unanswered(&bench, |id| call(id, "tap", r#"{"x":1,"y":1"#)).await;
    unanswered(&bench, |id| format!("{} trailing", call(id, "tap", r#"{"x":1,"y":1}"#))).await;
    unanswered(&bench, |id| call(id, "type_text", "{\"text\":\"a\u{1}b\"}")).await;
    unanswered(&bench, |id| {
        call(id, "tap_element", &format!(r#"{{"selector":{}1{}}}"#, "[".repeat(100_000), "]".repeat(100_000)))
    })
    .await;
    for rubbish in ["", " ", "rubbish", "\u{0}", "{", "\u{feff}\u{202e}", "Content-Length: 12"] {
        unanswered(&bench, |_| rubbish.to_owned()).await;
    }
    untouched(&bench);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_past_sixteen_mebibytes_gets_no_reply() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    unanswered(&bench, |id| call(id, "type_text", &format!(r#"{{"text":"{}"}}"#, "x".repeat(17 << 20)))).await;
    untouched(&bench);
    wait_until("a log line", || !bench.client.stderr().is_empty()).await;
    assert!(bench.client.stderr().len() < 4_096, "the line itself is not logged");
    let id = bench.client.fresh_id();
    bench.client.send_line(&call(id, "type_text", &format!(r#"{{"text":"{}"}}"#, "x".repeat(15 << 20)))).await;
    let answered = || bench.client.messages().into_iter().find(|message| message["id"] == id);
    wait_until("an answer to a shorter line", || answered().is_some()).await;
    assert_eq!(answered().unwrap()["result"]["structuredContent"]["error"]["member"], "arguments");
}
