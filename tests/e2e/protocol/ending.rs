//! The client goes, or somebody asks the server to end: it ends, with status 0, and leaves no child.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{a_read_runs, descendants, hang_reads, lives};
use crate::support::{Bench, Client, Flavor, ServerOptions, wait_until};

/// An answer under way may still be finished for five seconds; then it is cancelled and its children are reaped.
const MID_CALL: Duration = Duration::from_secs(12);

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

#[tokio::test(flavor = "multi_thread")]
async fn stdin_closed_in_the_middle_of_a_call_ends_it_and_its_children() {
    let (bench, children) = mid_call().await;
    let (took, status) = bench.client.close().await;
    assert!(status.success() && took < MID_CALL, "{status} after {took:?}");
    all_gone(&children).await;
    bench.client.check_stdout();
}

#[cfg(unix)]
fn signal(name: &str, pid: u32) {
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
        assert!(took < MID_CALL, "{name}: {took:?}");
        all_gone(&children).await;
        let (_, status) = bench.client.close().await;
        assert!(status.success(), "{name}: {status}");
        bench.client.check_stdout();
    }
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
        let compilers =
            || descendants(pid).into_iter().filter(|(_, command)| command.contains("precompile")).map(|(pid, _)| pid);
        wait_until("it compiles", || compilers().next().is_some()).await;
        let compilers: Vec<u32> = compilers().collect();
        if name != "stdin" {
            signal(name, pid);
            ended(pid).await;
        }
        let (took, status) = client.close().await;
        assert!(status.success() && took < Duration::from_secs(4), "{name}: {status} after {took:?}");
        assert!(!compilers.iter().any(|pid| lives(*pid)), "{name}: the compiler goes on");
    }
}
