//! Lines, as a client's pipes bring them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use futures::FutureExt;
use serde_json::json;
use tokio::io::{AsyncReadExt, DuplexStream, ReadHalf, WriteHalf, duplex, split};

use super::*;

type Ours = Stdio<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>;

/// A transport, the client's end of its pipes, and what it cancels.
fn connected(pipe: usize) -> (Ours, DuplexStream, CancellationToken) {
    let (client, server) = duplex(pipe);
    let (read, write) = split(server);
    let gone = CancellationToken::new();
    (Stdio::new(read, write, gone.clone()), client, gone)
}

fn ping(id: i64) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "ping" })
}

fn hello() -> Value {
    let client = json!({ "name": "test", "version": "0" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })
}

/// What the transport hands on of these lines, as method or id, until they end.
async fn heard(lines: &[&[u8]]) -> Vec<String> {
    let (mut stdio, mut client, _) = connected(1 << 20);
    let bytes = lines.concat();
    let written = tokio::spawn(async move {
        client.write_all(&bytes).await.unwrap();
        client.shutdown().await.unwrap();
        client
    });
    let mut heard = Vec::new();
    while let Some(message) = stdio.receive().await {
        let message = serde_json::to_value(&message).unwrap();
        heard.push(message.get("id").unwrap_or(&message["method"]).to_string());
    }
    drop(written.await.unwrap());
    heard
}

#[tokio::test]
async fn a_line_ends_with_or_without_a_carriage_return_and_may_begin_with_a_mark() {
    let (one, two) = (ping(1).to_string(), ping(2).to_string());
    let lines = [one.as_bytes(), b"\r\n", b"\xEF\xBB\xBF", two.as_bytes(), b"\n"];
    assert_eq!(heard(&lines).await, ["1", "2"]);
}

#[tokio::test]
async fn what_follows_the_last_line_end_is_no_line() {
    let (one, two) = (ping(1).to_string(), ping(2).to_string());
    assert_eq!(heard(&[one.as_bytes(), b"\n", two.as_bytes()]).await, ["1"]);
}

#[tokio::test]
async fn between_lines_that_are_no_messages_each_message_is_heard() {
    let rubbish: [&[u8]; 8] = [b"", b"  ", b"{", b"42", b"[]", b"\xff\xfe", b"{\"jsonrpc\":\"2.0\",\"id\":7}", b"null"];
    for line in rubbish {
        let lines = [ping(1).to_string().into_bytes(), line.to_vec(), ping(2).to_string().into_bytes()];
        let lines: Vec<Vec<u8>> = lines.into_iter().map(|line| [line, b"\n".to_vec()].concat()).collect();
        let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        assert_eq!(heard(&lines).await, ["1", "2"], "{:?}", String::from_utf8_lossy(line));
    }
}

#[tokio::test]
async fn a_line_as_long_as_may_be_is_read_and_a_longer_one_skipped() {
    let frame =
        |text: &str| json!({ "jsonrpc": "2.0", "id": 5, "method": "x", "params": { "text": text } }).to_string();
    let room = MAX_LINE_BYTES - frame("").len();
    for (text, expected) in [("x".repeat(room), &["5", "1"][..]), ("x".repeat(room + 1), &["1"][..])] {
        let lines = [frame(&text).into_bytes(), b"\n".to_vec(), ping(1).to_string().into_bytes(), b"\n".to_vec()];
        let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        assert_eq!(heard(&lines).await, expected);
    }
}

#[tokio::test]
async fn a_line_that_never_ends_is_not_kept() {
    let (client, server) = duplex(1 << 20);
    let mut lines = Lines::new(server);
    let flood = tokio::spawn(async move {
        let mut client = client;
        let part = vec![b'x'; 1 << 20];
        for _ in 0..40 {
            client.write_all(&part).await.unwrap();
        }
        client.write_all(b"\nafter\n").await.unwrap();
    });
    assert_eq!(lines.next().await, Line::TooLong(40 << 20));
    assert!(lines.capacity() < 1 << 20, "{} bytes are kept", lines.capacity());
    assert_eq!(lines.next().await, Line::Whole(b"after"));
    flood.await.unwrap();
}

#[tokio::test]
async fn a_line_that_is_read_in_parts_is_whole_also_when_the_reader_was_dropped_between_them() {
    let (mut stdio, mut client, _) = connected(1 << 10);
    let line = format!("{}\n", ping(3));
    for part in line.as_bytes().chunks(7) {
        client.write_all(part).await.unwrap();
        if part.last() != Some(&b'\n') {
            assert!(stdio.receive().now_or_never().is_none());
        }
    }
    let Some(JsonRpcMessage::Request(request)) = stdio.receive().await else { panic!("no request") };
    assert_eq!(request.id, RequestId::Number(3));
}

/// The lines the transport wrote, after it was told these.
async fn told(lines: &[Value]) -> Vec<Value> {
    let (mut stdio, mut client, _) = connected(1 << 20);
    for line in lines {
        client.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }
    client.shutdown().await.unwrap();
    while stdio.receive().await.is_some() {}
    // The refusals are on their way in tasks of their own.
    while Arc::strong_count(&stdio.write) > 1 {
        tokio::task::yield_now().await;
    }
    drop(stdio);
    let mut text = String::new();
    client.read_to_string(&mut text).await.unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn who_waits_for_an_answer_to_what_is_no_request_is_told_so() {
    for id in [json!(8), json!("eight"), json!(-1)] {
        for broken in [
            json!({ "jsonrpc": "2.0", "id": id, "method": 5 }),
            json!({ "jsonrpc": "1.0", "id": id, "method": "ping" }),
            json!({ "id": id, "method": "ping" }),
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list", "params": [] }),
        ] {
            let told = told(std::slice::from_ref(&broken)).await;
            assert_eq!(told.len(), 1, "{broken}: {told:?}");
            assert_eq!((&told[0]["id"], &told[0]["error"]["code"]), (&id, &json!(-32600)), "{broken}");
        }
    }
}

#[tokio::test]
async fn what_nobody_waits_for_and_no_answer_could_name_is_not_answered() {
    for silent in [
        json!({ "jsonrpc": "2.0", "method": 5 }),
        json!({ "jsonrpc": "2.0", "id": null, "method": "ping" }),
        json!({ "jsonrpc": "2.0", "id": 1.5, "method": "ping" }),
        json!({ "jsonrpc": "2.0", "id": {}, "method": "ping" }),
        json!({ "jsonrpc": "2.0", "id": 5 }),
        json!({ "jsonrpc": "2.0", "id": 5, "result": 1, "error": 2 }),
        json!("ping"),
        json!([]),
        json!([1, 2]),
    ] {
        assert_eq!(told(std::slice::from_ref(&silent)).await, Vec::<Value>::new(), "{silent}");
    }
}

/// Protocol 2025-03-26 has batches, and a server must take them.
#[tokio::test]
async fn each_message_of_a_batch_is_heard() {
    let batch = json!([ping(1), { "not": "a message" }, ping(2)]).to_string();
    assert_eq!(heard(&[batch.as_bytes(), b"\n", ping(3).to_string().as_bytes(), b"\n"]).await, ["1", "2", "3"]);
}

#[tokio::test]
async fn a_notification_before_the_conversation_begins_is_about_nothing() {
    let early = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let lines: Vec<String> = [&early, &ping(1), &early, &hello(), &early].map(|line| format!("{line}\n")).into();
    let lines: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
    assert_eq!(heard(&lines).await, ["1", "0", "\"notifications/initialized\""]);
}

#[tokio::test]
async fn the_end_of_stdin_cancels() {
    let (mut stdio, client, gone) = connected(1 << 10);
    assert!(stdio.receive().now_or_never().is_none());
    assert!(!gone.is_cancelled());
    drop(client);
    assert!(stdio.receive().await.is_none());
    assert!(gone.is_cancelled());
}

fn note(text: String) -> TxJsonRpcMessage<RoleServer> {
    JsonRpcMessage::error(ErrorData::internal_error(text, None), None)
}

#[tokio::test]
async fn a_stdout_that_is_closed_cancels() {
    let (mut stdio, client, gone) = connected(1 << 10);
    drop(client);
    assert!(stdio.send(note("a".into())).await.is_err());
    assert!(gone.is_cancelled());
}

#[tokio::test(start_paused = true)]
async fn a_client_that_is_gone_and_does_not_read_holds_nobody_and_nothing_follows_half_a_line() {
    let (mut stdio, mut client, gone) = connected(64);
    let long = tokio::spawn(stdio.send(note("x".repeat(1_000))));
    let next = tokio::spawn(stdio.send(note("next".into())));
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(!long.is_finished(), "a client that is there is waited for");
    let began = tokio::time::Instant::now();
    gone.cancel();
    assert_eq!(long.await.unwrap().unwrap_err().kind(), std::io::ErrorKind::TimedOut);
    assert_eq!(next.await.unwrap().unwrap_err().kind(), std::io::ErrorKind::NotConnected);
    assert_eq!(began.elapsed().as_millis(), LAST_WORDS.as_millis());
    drop(stdio);
    let mut rest = String::new();
    client.read_to_string(&mut rest).await.unwrap();
    assert!(!rest.contains("next") && !rest.contains('\n'), "{rest}");
}

#[tokio::test]
async fn lines_of_many_senders_are_whole() {
    let (mut stdio, mut client, _) = connected(1 << 8);
    let mut sends = tokio::task::JoinSet::new();
    for number in 0..200 {
        let send = stdio.send(note(format!("{number} {}", "y".repeat(number))));
        sends.spawn(async move { send.await.unwrap() });
    }
    let read = tokio::spawn(async move {
        let mut text = String::new();
        client.read_to_string(&mut text).await.unwrap();
        text
    });
    while sends.join_next().await.is_some() {}
    drop(stdio);
    let text = read.await.unwrap();
    let mut numbers: Vec<usize> = text
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            line["error"]["message"].as_str().unwrap().split(' ').next().unwrap().parse().unwrap()
        })
        .collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(0..200));
}
