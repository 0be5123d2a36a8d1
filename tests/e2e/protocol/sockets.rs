//! stdin and stdout as sockets instead of pipes: that is what a client in Node gives its servers.
#![cfg(unix)]

use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::process::{Child, Command};

use super::{descendants, lives};

/// A server on two pairs of sockets with a simulated phone of its own, after the handshake.
async fn on_sockets(folder: &std::path::Path) -> (Child, UnixStream, BufReader<UnixStream>) {
    let theirs = |stream: UnixStream| {
        let stream = stream.into_std().unwrap();
        stream.set_nonblocking(false).unwrap();
        Stdio::from(OwnedFd::from(stream))
    };
    let (mut stdin, input) = UnixStream::pair().unwrap();
    let (stdout, output) = UnixStream::pair().unwrap();
    #[allow(clippy::disallowed_methods, reason = "the tests start the product; the product spawns in one place")]
    let child = Command::new(env!("CARGO_BIN_EXE_handset"))
        .args(["serve", "--phone", "login"])
        .env("TMPDIR", env!("CARGO_TARGET_TMPDIR"))
        .env("XDG_CACHE_HOME", folder)
        .env("XDG_CONFIG_HOME", folder)
        .env("XDG_DATA_HOME", folder)
        .env_remove("RUST_LOG")
        .stdin(theirs(input))
        .stdout(theirs(output))
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let stdout = super::ending::shake_hands(&mut stdin, stdout).await;
    (child, stdin, stdout)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_on_sockets_ends_as_promptly_with_its_children() {
    for (how, calling) in [("stdin", false), ("stdin", true), ("signal", false), ("signal", true)] {
        let folder = tempfile::tempdir().unwrap();
        let (mut child, mut stdin, _stdout) = on_sockets(folder.path()).await;
        let pid = child.id().unwrap();
        let mut children = Vec::new();
        if calling {
            let never = json!({ "selector": { "text": "never" }, "timeout_ms": 60_000 });
            let params = json!({ "name": "wait_for_ui", "arguments": never });
            let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
            stdin.write_all(format!("{call}\n").as_bytes()).await.unwrap();
            let began = Instant::now();
            while children.is_empty() {
                assert!(began.elapsed() < Duration::from_secs(60), "it never calls adb");
                children = descendants(pid).into_iter().map(|(pid, _)| pid).collect();
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
        let began = Instant::now();
        if how == "stdin" {
            stdin.shutdown().await.unwrap();
        } else {
            super::ending::signal("-TERM", pid);
        }
        let status = tokio::time::timeout(Duration::from_secs(60), child.wait()).await.expect("it ends").unwrap();
        let took = began.elapsed();
        assert!(status.success() && took < super::ending::PROMPT, "{how}, calling {calling}: {status} after {took:?}");
        assert!(!children.iter().any(|pid| lives(*pid)), "{how}: a child goes on");
    }
}
