//! The server as its client sees it, over the same transport as the binary, with adapters that misbehave.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::atomic::{AtomicU32, Ordering};

use handset_model::snapshot::ScreenFacts;
use handset_model::ui::Size;
use rmcp::ServiceExt;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::budget::Budget;
use crate::device::{
    Accepted, Adapter, BoxFuture, DeviceFacts, Health, Input, Leftover, Listed as Device, Pinned, Prepared, Read,
    ReadFailure, Refused, Wants,
};
use crate::plugin::Builtins;
use crate::process::{Output, ProcessError};
use crate::tools::{Foundation, HouseConfig};

/// An adapter with a bug: whatever it is asked, every other time it panics, the first time too.
#[derive(Debug, Default)]
struct Buggy(AtomicU32);

impl Buggy {
    fn bug<T>(&self) -> BoxFuture<'_, Result<T, Failure>> {
        let asked = self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            assert!(asked % 2 == 1, "the bug with secret-screen-text");
            Err(Failure::new(Code::DeviceNotFound, "there is none"))
        })
    }
}

impl Adapter for Buggy {
    fn platform(&self) -> &'static str {
        "android"
    }
    fn list<'a>(&'a self, _: &'a Budget) -> BoxFuture<'a, Result<Vec<Device>, Failure>> {
        self.bug()
    }
    fn facts<'a>(&'a self, _: &'a Pinned, _: &'a Budget) -> BoxFuture<'a, Result<DeviceFacts, Failure>> {
        self.bug()
    }
    fn read<'a>(&'a self, _: &'a Pinned, _: Wants, _: &'a Budget) -> BoxFuture<'a, Result<Read, ReadFailure>> {
        panic!("a bug")
    }
    fn display<'a>(&'a self, _: &'a Pinned, _: &'a Budget) -> BoxFuture<'a, Result<Size, Failure>> {
        self.bug()
    }
    fn screen<'a>(&'a self, _: &'a Pinned, _: &'a Budget) -> BoxFuture<'a, Result<ScreenFacts, Failure>> {
        self.bug()
    }
    fn prepare<'a>(&'a self, _: &'a Pinned, _: Input, _: &'a Budget) -> BoxFuture<'a, Result<Prepared, Failure>> {
        self.bug()
    }
    fn judge(
        &self,
        _: &Pinned,
        _: &Prepared,
        _: Instant,
        _: Result<&Output, &ProcessError>,
    ) -> Result<Accepted, Box<Refused>> {
        panic!("a bug")
    }
    fn installed<'a>(&'a self, _: &'a Pinned, _: &'a str, _: &'a Budget) -> BoxFuture<'a, Result<bool, Failure>> {
        self.bug()
    }
    fn health<'a>(&'a self, _: &'a Budget) -> BoxFuture<'a, Health> {
        panic!("a bug")
    }
    fn is_over<'a>(&'a self, _: &'a Pinned, _: &'a Leftover, _: &'a Budget) -> BoxFuture<'a, bool> {
        panic!("a bug")
    }
}

/// A client of a server that lives in this process.
struct Client {
    lines: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
    id: i64,
}

impl Client {
    async fn of(adapter: Arc<dyn Adapter>) -> Self {
        let house = House::open(HouseConfig {
            adapters: vec![adapter],
            foundation: Foundation::default(),
            plugins: crate::plugin::Choices::default(),
            reread: None,
            cache_dir: None,
            protected: Vec::new(),
            builtins: Builtins::none(),
            limits: handset_model::snapshot::HistoryLimits::default(),
            measures: None,
            screenshots: None,
        });
        let (ours, theirs) = duplex(1 << 16);
        let (read, write) = split(theirs);
        let gone = CancellationToken::new();
        let transport = Stdio::new(read, write, gone.clone());
        tokio::spawn(async move {
            let running = Server::new(house, Profile::default()).serve_with_ct(transport, gone).await.unwrap();
            running.waiting().await.unwrap();
        });
        let (read, write) = split(ours);
        let mut client = Self { lines: BufReader::new(read).lines(), write, id: 0 };
        let about = json!({ "name": "test", "version": "0" });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about });
        client.ask("initialize", hello).await;
        client
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        let line = json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params });
        self.write.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        let answer: Value = serde_json::from_str(&self.lines.next_line().await.unwrap().unwrap()).unwrap();
        assert_eq!(answer["id"], self.id, "{answer:#}");
        answer
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await["result"].clone()
    }
}

#[tokio::test]
async fn a_handler_that_panics_is_answered_and_so_is_the_next_call() {
    let mut client = Client::of(Arc::new(Buggy::default())).await;
    let calls = [
        ("list_devices", json!({})),
        ("get_ui_tree", json!({})),
        ("get_current_screen", json!({})),
        ("get_readiness", json!({})),
        ("wait_for_ui", json!({ "selector": { "text": "a" } })),
        ("tap", json!({ "x": 1, "y": 1 })),
        ("press_back", json!({})),
    ];
    for (tool, arguments) in calls {
        let panicked = client.call(tool, arguments.clone()).await;
        let error = &panicked["structuredContent"]["error"];
        assert_eq!((&panicked["isError"], &error["code"]), (&json!(true), &json!("UNKNOWN")), "{tool}: {panicked:#}");
        assert!(!panicked.to_string().contains("secret-screen-text"), "{tool}: {panicked:#}");
        let next = client.call(tool, arguments).await;
        assert_eq!(next["structuredContent"]["error"]["code"], "DEVICE_NOT_FOUND", "{tool}: {next:#}");
    }
}

#[tokio::test]
async fn a_method_that_is_known_with_parameters_that_are_not_is_told_what_it_takes() {
    let mut client = Client::of(Arc::new(Buggy::default())).await;
    for (method, params) in [
        ("tools/call", json!({ "name": 5 })),
        ("tools/call", json!({})),
        ("tools/call", json!({ "name": "tap", "arguments": [1] })),
    ] {
        let answer = client.ask(method, params).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer:#}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("takes"), "{answer:#}");
    }
    let answer = client.ask("no/such/method", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer:#}");
}

#[test]
fn the_core_listing_stays_under_30_kb_and_every_tool_near_one_and_a_half() {
    let bytes = |tools: &[Value]| serde_json::to_string(tools).unwrap().len();
    let all: Vec<_> = TOOLS.iter().map(|tool| json!(listed(tool))).collect();
    assert!(bytes(&all) <= 1_536 * all.len(), "{} bytes in {} tools", bytes(&all), all.len());
    let core: Vec<_> = TOOLS.iter().filter(|tool| CORE.contains(&tool.name)).map(|tool| json!(listed(tool))).collect();
    assert!(core.len() == CORE.len() && bytes(&core) < 30_000, "{} bytes in {} tools", bytes(&core), core.len());
}

#[test]
fn a_profile_names_what_is_known_when_it_is_not() {
    assert!(Profile::parse("core,observe").is_ok());
    assert!(Profile::parse("obserev").unwrap_err().contains("observe"));
}
