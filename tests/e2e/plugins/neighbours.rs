//! A guest that spins keeps nobody else from being answered. What it slows them by is measured: `cargo bench -- neighbours`.

use std::time::Duration;

use super::callers::{run, server};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everyone_is_answered_beside_a_spinning_guest() {
    let bench = server().await;
    for took in run(&bench, true, Duration::from_secs(2)).await {
        assert!(!took.is_empty());
    }
}
