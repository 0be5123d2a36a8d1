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
