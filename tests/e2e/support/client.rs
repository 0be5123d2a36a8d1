//! An MCP client over stdio that checks what it is told: every line, every structured answer.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin};
use tokio::sync::{oneshot, watch};

use simphone::adb::AdbFlavor;

use super::{Answer, Era, ServerOptions};

/// No call of these tests takes this long; one that does would hang the run.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server process and the client's end of its pipes; ended on drop.
pub(crate) struct Client {
    shared: Arc<Shared>,
    stdin: tokio::sync::Mutex<Option<ChildStdin>>,
    child: tokio::sync::Mutex<Child>,
    era: Era,
    next_id: AtomicI64,
    schemas: Mutex<HashMap<String, Option<jsonschema::Validator>>>,
    /// What `initialize` (or `server/discover`) answered.
    pub(crate) greeting: Value,
    folder: tempfile::TempDir,
}

/// What the reading tasks share with the client.
#[derive(Default)]
struct Shared {
    heard: Mutex<Heard>,
    lines: watch::Sender<usize>,
    stderr: Mutex<String>,
}

#[derive(Default)]
struct Heard {
    waiting: HashMap<i64, oneshot::Sender<Value>>,
    /// Every message of the server, in order.
    messages: Vec<Value>,
    /// What was wrong with its stdout.
    broken: Vec<String>,
    ended: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A call under way.
pub(crate) struct Pending<'a> {
    client: &'a Client,
    /// Its JSON-RPC id, which is also its progress token.
    pub(crate) id: i64,
    tool: String,
    sent: Instant,
    reply: oneshot::Receiver<Value>,
}

impl Client {
    /// Starts a server and says hello.
    pub(crate) async fn start(options: &ServerOptions, adb: Option<&AdbFlavor>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut child = options.spawn(adb, folder.path());
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let shared = Arc::new(Shared::default());
        tokio::spawn(listen(stdout.expect("piped"), Arc::clone(&shared)));
        let kept = Arc::clone(&shared);
        tokio::spawn(async move {
            let mut stderr = stderr.expect("piped");
            let mut buffer = vec![0; 8192];
            while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
                lock(&kept.stderr).push_str(&String::from_utf8_lossy(&buffer[..count]));
            }
        });
        let mut client = Self {
            shared,
            stdin: tokio::sync::Mutex::new(stdin),
            child: tokio::sync::Mutex::new(child),
            era: options.era,
            next_id: AtomicI64::new(1),
            schemas: Mutex::default(),
            greeting: Value::Null,
            folder,
        };
        client.greet().await;
        client
    }

    async fn greet(&mut self) {
        if let Era::Initialize(version) = self.era {
            let params = json!({
                "protocolVersion": version,
                "capabilities": {},
                "clientInfo": { "name": "handset-e2e", "version": "0" },
            });
            self.greeting = self.rpc("initialize", params).await.expect("initialize is answered");
            self.notify("notifications/initialized", json!({})).await;
        } else {
            self.greeting = self.rpc("server/discover", json!({})).await.expect("server/discover is answered");
        }
        let tools = self.tools().await;
        let mut schemas = lock(&self.schemas);
        for tool in &tools {
            let name = tool["name"].as_str().expect("a tool has a name").to_owned();
            let schema = tool
                .get("outputSchema")
                .map(|schema| jsonschema::validator_for(schema).expect("a valid output schema"));
            schemas.insert(name, schema);
        }
    }

    /// `tools/list`, all pages.
    pub(crate) async fn tools(&self) -> Vec<Value> {
        let listed = self.rpc("tools/list", json!({})).await.expect("tools/list is answered");
        assert!(listed.get("nextCursor").is_none_or(Value::is_null), "one page");
        listed["tools"].as_array().expect("a list of tools").clone()
    }

    /// What `list_plugins` shows in full once nothing is being compiled any more: that takes seconds on a busy machine.
    pub(crate) async fn plugins(&self) -> Vec<Value> {
        let began = Instant::now();
        loop {
            let listed = self.call("list_plugins", json!({ "detail": true })).await.fine();
            let plugins = listed["plugins"].as_array().expect("a list of plugins").clone();
            if plugins.iter().all(|plugin| plugin["state"] != "compiling") {
                return plugins;
            }
            assert!(began.elapsed() < PATIENCE, "still compiling: {plugins:#?}");
        }
    }

    /// Calls a tool and waits for its answer, which must be a tool's result and fit the advertised schema.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Answer {
        self.begin(tool, arguments).await.answer().await
    }

    /// Sends a tool call.
    pub(crate) async fn begin(&self, tool: &str, arguments: Value) -> Pending<'_> {
        let id = self.fresh_id();
        let params = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": id } });
        let (sent, reply) = self.request(id, "tools/call", params).await;
        Pending { client: self, id, tool: tool.to_owned(), sent, reply }
    }

    /// Any request: its result, or its JSON-RPC error.
    pub(crate) async fn rpc(&self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.fresh_id();
        let (_, reply) = self.request(id, method, params).await;
        self.reply(method, reply).await
    }

    /// Sends a notification.
    pub(crate) async fn notify(&self, method: &str, params: Value) {
        self.send_line(&json!({ "jsonrpc": "2.0", "method": method, "params": self.with_meta(params) }).to_string())
            .await;
    }

    /// Sends one raw line, whatever is in it.
    pub(crate) async fn send_line(&self, line: &str) {
        let mut stdin = self.stdin.lock().await;
        let pipe = stdin.as_mut().expect("stdin is open");
        let sent = async {
            pipe.write_all(line.as_bytes()).await?;
            pipe.write_all(b"\n").await?;
            pipe.flush().await
        };
        if let Err(error) = sent.await {
            panic!("the server is gone ({error}); its stderr: {}", self.stderr());
        }
    }

    /// An id no request has used.
    pub(crate) fn fresh_id(&self) -> i64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    async fn request(&self, id: i64, method: &str, params: Value) -> (Instant, oneshot::Receiver<Value>) {
        let (answer, reply) = oneshot::channel();
        lock(&self.shared.heard).waiting.insert(id, answer);
        let line =
            json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": self.with_meta(params) }).to_string();
        let sent = Instant::now();
        self.send_line(&line).await;
        (sent, reply)
    }

    /// In the stateless era each message says what the handshake would have.
    fn with_meta(&self, mut params: Value) -> Value {
        if let Era::Stateless(version) = self.era {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = json!(version);
            meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "handset-e2e", "version": "0" });
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        params
    }

    async fn reply(&self, what: &str, reply: oneshot::Receiver<Value>) -> Result<Value, Value> {
        let message = match tokio::time::timeout(PATIENCE, reply).await {
            Ok(Ok(message)) => message,
            Ok(Err(_)) => panic!("{what}: the server ended without an answer; its stderr: {}", self.stderr()),
            Err(_) => panic!("{what}: no answer in {PATIENCE:?}; its stderr: {}", self.stderr()),
        };
        self.check_stdout();
        match message.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(message["result"].clone()),
        }
    }

    /// Panics if the server wrote anything but JSON-RPC to its stdout.
    #[track_caller]
    pub(crate) fn check_stdout(&self) {
        let heard = lock(&self.shared.heard);
        assert!(heard.broken.is_empty(), "stdout belongs to the protocol: {:?}", heard.broken);
    }

    /// Everything the server sent, in order.
    pub(crate) fn messages(&self) -> Vec<Value> {
        lock(&self.shared.heard).messages.clone()
    }

    /// Progress notifications with this token, in order.
    pub(crate) fn progress(&self, token: i64) -> Vec<Value> {
        let ours = |message: &&Value| {
            message["method"] == "notifications/progress" && message["params"]["progressToken"] == token
        };
        lock(&self.shared.heard).messages.iter().filter(ours).map(|message| message["params"].clone()).collect()
    }

    /// Waits until a progress notification with this token is there.
    pub(crate) async fn progress_begins(&self, token: i64) {
        let mut lines = self.shared.lines.subscribe();
        let begun = lines.wait_for(|_| !self.progress(token).is_empty());
        tokio::time::timeout(PATIENCE, begun).await.expect("progress begins").expect("the server lives");
    }

    /// What the server logged.
    pub(crate) fn stderr(&self) -> String {
        lock(&self.shared.stderr).clone()
    }

    /// The server's process id.
    pub(crate) async fn pid(&self) -> u32 {
        self.child.lock().await.id().expect("the server runs")
    }

    /// The folder of its config and data.
    pub(crate) fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// Closes stdin and waits for the server to end: how long it took, and its status.
    pub(crate) async fn close(&self) -> (Duration, std::process::ExitStatus) {
        let began = Instant::now();
        drop(self.stdin.lock().await.take());
        let mut child = self.child.lock().await;
        let status =
            tokio::time::timeout(PATIENCE, child.wait()).await.expect("the server ends").expect("it can be waited for");
        (began.elapsed(), status)
    }

    fn check_schema(&self, tool: &str, structured: &Value) {
        let schemas = lock(&self.schemas);
        let Some(schema) = schemas.get(tool) else { return };
        let schema = schema.as_ref().unwrap_or_else(|| panic!("{tool} advertises no outputSchema"));
        let errors: Vec<String> =
            schema.iter_errors(structured).map(|error| format!("{} at {}", error, error.instance_path())).collect();
        assert!(errors.is_empty(), "{tool}'s answer does not fit its outputSchema: {errors:?}\n{structured:#}");
    }
}

impl Pending<'_> {
    /// The tool's result.
    pub(crate) async fn answer(self) -> Answer {
        let result = match self.client.reply(&self.tool, self.reply).await {
            Ok(result) => result,
            Err(error) => panic!("{} was answered with a JSON-RPC error: {error:#}", self.tool),
        };
        let answer = Answer {
            is_error: result["isError"] == true,
            structured: result["structuredContent"].clone(),
            text: result.pointer("/content/0/text").and_then(Value::as_str).unwrap_or_default().to_owned(),
            elapsed: self.sent.elapsed(),
            progress: self.client.progress(self.id),
            tool: self.tool,
        };
        assert!(answer.structured.is_object(), "{} has no structuredContent: {result:#}", answer.tool);
        self.client.check_schema(&answer.tool, &answer.structured);
        answer
    }

    /// Cancels it; the specification forbids an answer from then on.
    pub(crate) async fn cancel(&self) {
        self.client
            .notify("notifications/cancelled", json!({ "requestId": self.id, "reason": "the test says so" }))
            .await;
    }

    /// Whether an answer has come.
    pub(crate) fn answered(&mut self) -> bool {
        self.reply.try_recv().is_ok()
    }
}

/// Reads the server's stdout to its end.
async fn listen(stdout: tokio::process::ChildStdout, shared: Arc<Shared>) {
    let mut lines = BufReader::new(stdout).split(b'\n');
    while let Ok(Some(line)) = lines.next_segment().await {
        let mut heard = lock(&shared.heard);
        match message(&line) {
            Ok(message) => {
                let id = message.get("id").and_then(Value::as_i64).filter(|_| message.get("method").is_none());
                heard.messages.push(message.clone());
                if let Some(waiting) = id.and_then(|id| heard.waiting.remove(&id)) {
                    let _ = waiting.send(message);
                }
            }
            Err(why) => heard.broken.push(format!("{why}: {:?}", String::from_utf8_lossy(&line))),
        }
        drop(heard);
        shared.lines.send_modify(|count| *count += 1);
    }
    let mut heard = lock(&shared.heard);
    heard.ended = true;
    heard.waiting.clear();
}

/// One line as a JSON-RPC message, or what is wrong with it.
fn message(line: &[u8]) -> Result<Value, String> {
    let message: Value = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let members = message.as_object().ok_or("no object")?;
    if members.get("jsonrpc") != Some(&json!("2.0")) {
        return Err("not JSON-RPC 2.0".to_owned());
    }
    let has = |name| members.contains_key(name);
    match (has("method"), has("result"), has("error")) {
        (true, false, false) => Ok(message),
        (false, true, false) | (false, false, true) if has("id") => Ok(message),
        _ => Err("neither a request, a notification nor a response".to_owned()),
    }
}
