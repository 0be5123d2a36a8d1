//! The client goes, or somebody asks the server to end: it ends, with status 0, and leaves no child.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use simphone::{Fault, FaultKind};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout};

use super::{a_read_runs, descendants, hang_reads, lives};
use crate::support::{Bench, Client, Flavor, ServerOptions, wait_until};

/// What a server may take to end, whatever goes on in it and on this machine. rmcp alone would give calls under way five
/// seconds before it cancels them.
pub(super) const PROMPT: Duration = Duration::from_secs(4);

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_server_ends_with_its_stdin() {
    let client = Client::start(&ServerOptions::default(), None).await;
    let (took, status) = client.close().await;
    assert!(status.success() && took < Duration::from_secs(2), "{status} after {took:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_never_said_hello_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = ServerOptions::default().spawn(None, folder.path());
    drop(child.stdin.take());
    let status = tokio::time::timeout(Duration::from_secs(10), child.wait()).await.expect("it ends").unwrap();
    assert!(status.success(), "{status}");
}

/// A bench in the middle of a read that hangs, and the adb that waits for it.
async fn mid_call() -> (Bench, Vec<u32>) {
    let bench = Bench::new("login", Flavor::StandIn).await;
    hang_reads(&bench);
    // Not waited for.
    let _ = bench.client.begin("get_ui_tree", json!({})).await;
    a_read_runs(&bench).await;
    let children = descendants(bench.client.pid().await);
    assert!(children.iter().any(|(_, command)| command.contains("shell")), "{children:?}");
    (bench, children.into_iter().map(|(pid, _)| pid).collect())
}

async fn all_gone(children: &[u32]) {
    wait_until("its children are gone", || !children.iter().any(|pid| lives(*pid))).await;
}

/// Calls that go on until they are ended, each with a child of the server under way.
fn endless() -> [(&'static str, Value); 6] {
    let never = json!({ "text": "never" });
    let steps = json!([{ "id": "a", "type": "wait", "selector": never }]);
    [
        ("get_ui_tree", json!({})),
        ("get_readiness", json!({})),
        ("tap_element", json!({ "selector": { "text": "Sign in" } })),
        ("wait_for_ui", json!({ "selector": never, "timeout_ms": 60_000 })),
        ("wait_for_readiness", json!({ "timeoutMs": 60_000 })),
        ("run_journey", json!({ "platform": "android", "steps": steps })),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn stdin_closed_in_the_middle_of_a_call_ends_it_and_its_children() {
    for (tool, arguments) in endless() {
        let bench = Bench::new("login", Flavor::StandIn).await;
        hang_reads(&bench);
        let call = bench.client.begin(tool, arguments).await;
        a_read_runs(&bench).await;
        let children: Vec<u32> = descendants(bench.client.pid().await).into_iter().map(|(pid, _)| pid).collect();
        assert!(!children.is_empty(), "{tool}: adb runs");
        let (took, status) = bench.client.close().await;
        assert!(status.success() && took < PROMPT, "{tool}: {status} after {took:?}");
        all_gone(&children).await;
        // Whoever still reads is told how it ended.
        let answer = call.answer().await;
        assert!(answer.structured.to_string().contains("CANCELLED"), "{tool}: {:#}", answer.structured);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stdin_closed_over_many_calls_ends_all_of_them() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    hang_reads(&bench);
    let mut calls = Vec::new();
    for (tool, arguments) in endless().into_iter().cycle().take(24) {
        calls.push(bench.client.begin(tool, arguments).await);
    }
    a_read_runs(&bench).await;
    let children: Vec<u32> = descendants(bench.client.pid().await).into_iter().map(|(pid, _)| pid).collect();
    let (took, status) = bench.client.close().await;
    assert!(status.success() && took < PROMPT, "{status} after {took:?}");
    all_gone(&children).await;
    for call in calls {
        let answer = call.answer().await;
        assert!(answer.structured.to_string().contains("CANCELLED"), "{}: {:#}", answer.tool, answer.structured);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stdin_closed_under_an_input_ends_its_child_and_says_that_it_may_have_arrived() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    bench.phone().fault(Fault::forever("input", FaultKind::Hang));
    let mark = bench.mark();
    let tap = json!({ "x": 540, "y": 1170, "verificationMode": "none", "actionTimeoutMs": 30_000 });
    let call = bench.client.begin("tap", tap).await;
    wait_until("the input runs", || !mark.input_commands().is_empty()).await;
    let children: Vec<u32> = descendants(bench.client.pid().await).into_iter().map(|(pid, _)| pid).collect();
    let (took, status) = bench.client.close().await;
    assert!(status.success() && took < PROMPT, "{status} after {took:?}");
    all_gone(&children).await;
    let answer = call.answer().await;
    assert_eq!((&answer["dispatch_started"], &answer["delivery_status"]), (&json!(true), &json!("unknown")));
}

/// A server with its pipes bare, after the handshake.
async fn bare() -> (Child, ChildStdin, BufReader<ChildStdout>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut child = ServerOptions::default().spawn(None, folder.path());
    let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let stdout = shake_hands(&mut stdin, stdout).await;
    (child, stdin, stdout, folder)
}

/// The handshake over bare pipes or sockets.
pub(super) async fn shake_hands<R: AsyncRead + Unpin>(
    stdin: &mut (impl AsyncWrite + Unpin),
    stdout: R,
) -> BufReader<R> {
    let about = json!({ "name": "handset-e2e", "version": "0" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about });
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
    stdin.write_all(format!("{hello}\n").as_bytes()).await.unwrap();
    let mut stdout = BufReader::new(stdout);
    let mut line = String::new();
    stdout.read_line(&mut line).await.unwrap();
    assert!(line.contains("serverInfo"), "{line}");
    stdout
}

fn list(id: i64) -> Vec<u8> {
    format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list" })).into_bytes()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_reads_nothing_and_goes_holds_nobody() {
    let (mut child, mut stdin, stdout, _folder) = bare().await;
    // Far more than a pipe holds.
    for id in 1..=40 {
        stdin.write_all(&list(id)).await.unwrap();
    }
    // All of them are under way once the first fills the pipe; nothing is read from here on.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let began = Instant::now();
    drop(stdin);
    let status = tokio::time::timeout(Duration::from_secs(60), child.wait()).await.expect("it ends").unwrap();
    assert!(status.success() && began.elapsed() < PROMPT, "{status} after {:?}", began.elapsed());
    drop(stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_nobody_reads_any_more_ends_with_its_next_answer() {
    let (mut child, mut stdin, stdout, _folder) = bare().await;
    drop(stdout);
    stdin.write_all(&list(1)).await.unwrap();
    let status = tokio::time::timeout(Duration::from_secs(60), child.wait()).await.expect("it ends").unwrap();
    assert!(status.success(), "{status}");
}

#[cfg(unix)]
pub(super) fn signal(name: &str, pid: u32) {
    #[allow(clippy::disallowed_methods, reason = "the tests do what an operator does")]
    let sent = std::process::Command::new("kill").args([name, &pid.to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Waits for the end of a process that nobody closed the stdin of.
#[cfg(unix)]
async fn ended(pid: u32) -> Duration {
    let began = Instant::now();
    wait_until("the server ends", || !lives(pid)).await;
    began.elapsed()
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_an_idle_server_with_status_0() {
    for name in ["-TERM", "-INT"] {
        let client = Client::start(&ServerOptions::default(), None).await;
        signal(name, client.pid().await);
        let (took, status) = client.close().await;
        assert!(status.success() && took < Duration::from_secs(3), "{name}: {status} after {took:?}");
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_signal_in_the_middle_of_a_call_ends_it_and_its_children() {
    for name in ["-TERM", "-INT"] {
        let (bench, children) = mid_call().await;
        signal(name, bench.client.pid().await);
        let took = ended(bench.client.pid().await).await;
        assert!(took < PROMPT, "{name}: {took:?}");
        all_gone(&children).await;
        let (_, status) = bench.client.close().await;
        assert!(status.success(), "{name}: {status}");
        bench.client.check_stdout();
    }
}

/// The children of a server that compile for it, once there are any. Its own components come first, which takes a while
/// on a machine that does much else.
#[cfg(unix)]
async fn compilers(of: u32) -> Vec<u32> {
    let began = Instant::now();
    loop {
        let found: Vec<u32> = descendants(of)
            .into_iter()
            .filter(|(_, command)| command.contains("precompile"))
            .map(|(pid, _)| pid)
            .collect();
        if !found.is_empty() {
            return found;
        }
        assert!(began.elapsed() < Duration::from_secs(120), "it never compiles");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Found by these tests: until the client had said hello a signal ended the server at once, and a compiler lived on.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_signal_before_the_client_says_hello_ends_the_server_and_its_compiler() {
    let plugins = crate::plugins::Folder::new();
    plugins.add("huge", &huge_component(), |_| {});
    let options =
        ServerOptions { plugins: vec![plugins.path().to_owned()], cold_cache: true, ..ServerOptions::default() };
    let folder = tempfile::tempdir().unwrap();
    let mut child = options.spawn(None, folder.path());
    let pid = child.id().unwrap();
    let compilers = compilers(pid).await;
    signal("-TERM", pid);
    let status = tokio::time::timeout(Duration::from_secs(60), child.wait()).await.expect("it ends").unwrap();
    assert!(status.success(), "{status}");
    all_gone(&compilers).await;
}

/// An unsigned number as WebAssembly writes it.
fn leb(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = u8::try_from(number & 0x7f).unwrap();
        number >>= 7;
        bytes.push(if number == 0 { low } else { low | 0x80 });
        if number == 0 {
            return bytes;
        }
    }
}

fn section(id: u8, content: &[u8]) -> Vec<u8> {
    [vec![id], leb(content.len()), content.to_vec()].concat()
}

/// A component of so much useless code that compiling it takes seconds, in a child.
fn huge_component() -> Vec<u8> {
    const FUNCTIONS: usize = 12_000;
    let body = [&[0][..], &[0x41, 7, 0x1a].repeat(700), &[0x0b]].concat();
    let function = [leb(body.len()), body].concat();
    let module = [
        b"\0asm\x01\0\0\0".to_vec(),
        section(1, &[1, 0x60, 0, 0]),
        section(3, &[leb(FUNCTIONS), vec![0; FUNCTIONS]].concat()),
        section(10, &[leb(FUNCTIONS), function.repeat(FUNCTIONS)].concat()),
    ];
    [b"\0asm\x0d\0\x01\0".to_vec(), section(1, &module.concat())].concat()
}

/// Found by these tests: a component's compiler went on for minutes after its server had ended.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_compiler_does_not_outlive_its_server() {
    let folder = crate::plugins::Folder::new();
    folder.add("huge", &huge_component(), |_| {});
    let options =
        ServerOptions { plugins: vec![folder.path().to_owned()], cold_cache: true, ..ServerOptions::default() };
    for name in ["stdin", "-TERM"] {
        let client = Client::start(&options, None).await;
        let pid = client.pid().await;
        let compilers = compilers(pid).await;
        if name != "stdin" {
            signal(name, pid);
            ended(pid).await;
        }
        let (took, status) = client.close().await;
        assert!(status.success() && took < Duration::from_secs(4), "{name}: {status} after {took:?}");
        assert!(!compilers.iter().any(|pid| lives(*pid)), "{name}: the compiler goes on");
    }
}
