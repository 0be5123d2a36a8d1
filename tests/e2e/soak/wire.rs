//! A client with nothing on it: a call is timed from the line written to the line read, and nothing is kept.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use simphone::adb::AdbFlavor;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::sync::oneshot;

use crate::support::ServerOptions;

/// No call made here takes this long.
const PATIENCE: Duration = Duration::from_secs(120);

/// The end of the server's stderr that is kept for a failure's message.
const TAIL: usize = 8 * 1024;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

type Waiting = Arc<Mutex<HashMap<i64, oneshot::Sender<(Instant, Vec<u8>)>>>>;

/// A server process and the client's end of its pipes; ended on drop.
pub(crate) struct Wire {
    waiting: Waiting,
    stdin: tokio::sync::Mutex<ChildStdin>,
    child: Mutex<Child>,
    next_id: AtomicI64,
    stderr: Arc<Mutex<Vec<u8>>>,
    _folder: tempfile::TempDir,
}

/// What came of a call.
pub(crate) struct Called {
    /// From the line written to the line read.
    pub(crate) elapsed: Duration,
    /// The line as it came.
    pub(crate) line: Vec<u8>,
    /// `result`; null where there was a JSON-RPC error.
    pub(crate) result: Value,
}

impl Called {
    /// The answer's `structuredContent`.
    pub(crate) fn body(&self) -> &Value {
        &self.result["structuredContent"]
    }

    /// Milliseconds.
    pub(crate) fn ms(&self) -> f64 {
        self.elapsed.as_secs_f64() * 1_000.0
    }

    /// A call that did what was asked of it; panics with its answer otherwise.
    #[track_caller]
    pub(crate) fn fine(self) -> Self {
        let body = self.body();
        assert!(self.result["isError"] != true && body["success"] != false && body.is_object(), "{:#}", self.result);
        self
    }
}

/// A call under way.
pub(crate) struct Begun {
    /// Its id.
    pub(crate) id: i64,
    sent: Instant,
    reply: oneshot::Receiver<(Instant, Vec<u8>)>,
}

impl Wire {
    /// Starts a server and says hello; the answered `tools/list`, and how long all of it took.
    pub(crate) async fn start(options: &ServerOptions, adb: Option<&AdbFlavor>) -> (Self, Called) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let began = Instant::now();
        let mut child = options.spawn(adb, folder.path());
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let waiting = Waiting::default();
        tokio::spawn(listen(stdout.expect("piped"), Arc::clone(&waiting)));
        let tail = Arc::new(Mutex::new(Vec::new()));
        tokio::spawn(keep_tail(stderr.expect("piped"), Arc::clone(&tail)));
        let wire = Self {
            waiting,
            stdin: tokio::sync::Mutex::new(stdin.expect("piped")),
            child: Mutex::new(child),
            next_id: AtomicI64::new(1),
            stderr: tail,
            _folder: folder,
        };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "handset-bench", "version": "0" },
        });
        wire.request("initialize", hello).await;
        wire.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        let mut listed = wire.request("tools/list", json!({})).await;
        listed.elapsed = began.elapsed();
        (wire, listed)
    }

    /// Calls a tool.
    pub(crate) async fn call(&self, tool: &str, arguments: &Value) -> Called {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// Sends a tool call.
    pub(crate) async fn begin(&self, tool: &str, arguments: &Value) -> Begun {
        self.begin_request("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// Its answer, or `None` when there is none within `patience`.
    pub(crate) async fn end(&self, begun: Begun, patience: Duration) -> Option<Called> {
        let reply = tokio::time::timeout(patience, begun.reply).await;
        let Ok((at, line)) = reply.ok()? else { panic!("the server ended without an answer: {}", self.stderr()) };
        let mut message: Value = serde_json::from_slice(&line).expect("stdout belongs to the protocol");
        Some(Called { elapsed: at.duration_since(begun.sent), line, result: message["result"].take() })
    }

    /// Cancels a call.
    pub(crate) async fn cancel(&self, id: i64) {
        lock(&self.waiting).remove(&id);
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }))
            .await;
    }

    /// The server's process id.
    pub(crate) fn pid(&self) -> u32 {
        lock(&self.child).id().expect("the server runs")
    }

    /// The end of what the server logged.
    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&lock(&self.stderr)).into_owned()
    }

    async fn request(&self, method: &str, params: Value) -> Called {
        let begun = self.begin_request(method, params).await;
        let called = self.end(begun, PATIENCE).await;
        called.unwrap_or_else(|| panic!("{method}: no answer in {PATIENCE:?}: {}", self.stderr()))
    }

    async fn begin_request(&self, method: &str, params: Value) -> Begun {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (answer, reply) = oneshot::channel();
        lock(&self.waiting).insert(id, answer);
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let sent = self.send(&message).await;
        Begun { id, sent, reply }
    }

    /// Writes one line; the moment before its first byte went.
    async fn send(&self, message: &Value) -> Instant {
        let line = format!("{message}\n");
        let mut stdin = self.stdin.lock().await;
        let sent = Instant::now();
        if let Err(error) = stdin.write_all(line.as_bytes()).await {
            panic!("the server is gone ({error}): {}", self.stderr());
        }
        sent
    }
}

async fn listen(stdout: ChildStdout, waiting: Waiting) {
    let mut lines = BufReader::with_capacity(1 << 18, stdout);
    loop {
        let mut line = Vec::new();
        if lines.read_until(b'\n', &mut line).await.unwrap_or(0) == 0 {
            break;
        }
        let at = Instant::now();
        let asker = answered(&line).and_then(|id| lock(&waiting).remove(&id));
        if let Some(asker) = asker {
            let _ = asker.send((at, line));
        }
    }
    lock(&waiting).clear();
}

/// The id of a response, which stands in front of what may be long.
fn answered(line: &[u8]) -> Option<i64> {
    let head = String::from_utf8_lossy(line.get(..64).unwrap_or(line)).into_owned();
    let (_, rest) = head.split_once("\"id\":")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

async fn keep_tail(mut stderr: tokio::process::ChildStderr, tail: Arc<Mutex<Vec<u8>>>) {
    let mut buffer = vec![0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
        let mut tail = lock(&tail);
        tail.extend_from_slice(&buffer[..count]);
        let over = tail.len().saturating_sub(TAIL);
        tail.drain(..over);
    }
}
