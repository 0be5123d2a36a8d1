//! A spinning guest slows nobody else: eight callers of one server, with and without it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use super::bounds::overloaded;
use super::{dist, shown};
use crate::support::{Bench, Flavor, Setup};

const CALLERS: usize = 8;
/// Of one run.
const LENGTH: Duration = Duration::from_secs(3);
/// Runs with the guest, and as many without, in turns.
const RUNS: usize = 3;
/// Between an answer and the next call of a caller.
const PAUSE: Duration = Duration::from_millis(100);
/// What the guest may move the others' p95 by, ms.
const MOVES: f64 = 10.0;

/// The built-in classifiers are replaced by one that spins: what is built in is never put aside, so it does so on and on.
async fn bench() -> Bench {
    let setup = Setup::new("login", Flavor::StandIn).and(Setup::showing("login")).server(|server| {
        server.builtins.push(("readiness".to_owned(), dist("tests/hostile.wasm")));
        server.config = Some("[plugins.readiness.settings]\nkind = \"readiness\"\nonly = \"spin\"\n".to_owned());
    });
    let bench = setup.start().await;
    assert_eq!(shown(&bench, "readiness").await["state"], "ready");
    bench
}

/// Readiness of the other phone, over and over: 250 ms of spinning each.
async fn spin(bench: &Bench, until: &AtomicBool) {
    let other = bench.phones[1].adb_addr().to_string();
    while !until.load(Ordering::Relaxed) {
        let asked = json!({ "platform": "android", "deviceId": other, "samples": 1 });
        let answer = bench.call("get_readiness", asked).await.fine();
        let voices = answer["/readiness/classifiers"].as_array().unwrap();
        let spinner = voices.iter().find(|voice| voice["name"] == "spin").unwrap();
        assert!(spinner["error"]["message"].as_str().unwrap().contains("250 ms without a host call"), "{spinner:#}");
    }
}

/// Milliseconds of each of a caller's calls.
async fn call(bench: &Bench, caller: usize, until: &AtomicBool) -> Vec<f64> {
    let mut took = Vec::new();
    while !until.load(Ordering::Relaxed) {
        let answer = match caller % 3 {
            0 => bench.call("list_plugins", json!({})).await,
            1 => bench.call("get_system_status", json!({})).await,
            _ => bench.call("wait_for_ui", bench.aimed(json!({ "selector": { "text": "Sign in" } }))).await,
        };
        took.push(answer.fine().elapsed.as_secs_f64() * 1_000.0);
        tokio::time::sleep(PAUSE).await;
    }
    took
}

/// The p95 of one run.
async fn run(bench: &Bench, spinning: bool) -> f64 {
    let over = AtomicBool::new(false);
    let began = Instant::now();
    let callers = futures::future::join_all((0..CALLERS).map(|caller| call(bench, caller, &over)));
    let spinner = async {
        if spinning {
            spin(bench, &over).await;
        }
    };
    let clock = async {
        tokio::time::sleep(LENGTH).await;
        over.store(true, Ordering::Relaxed);
    };
    let (took, (), ()) = tokio::join!(callers, spinner, clock);
    let mut took = took.concat();
    took.sort_by(f64::total_cmp);
    let at = |share: usize| took[(took.len() - 1) * share / 100];
    eprintln!(
        "{}: {} calls in {:?}, median {:.1} ms, p95 {:.1} ms",
        if spinning { "spinning" } else { "calm" },
        took.len(),
        began.elapsed(),
        at(50),
        at(95)
    );
    at(95)
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// Runs without the guest tell what the machine itself moves the figure by. Where that alone is more than the guest may
/// move it, the figure is shown and not judged; what holds everywhere is that everyone was answered, and that the guest
/// was ended each time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spinning_guest_slows_nobody_else() {
    let bench = bench().await;
    run(&bench, false).await;
    let (mut calm, mut spinning) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        calm.push(run(&bench, false).await);
        spinning.push(run(&bench, true).await);
    }
    let spread = calm.iter().copied().fold(0.0, f64::max) - calm.iter().copied().fold(f64::MAX, f64::min);
    let (without, with) = (median(calm), median(spinning));
    eprintln!(
        "p95 {without:.1} ms without, {with:.1} ms with a spinning guest; without it, runs differ by {spread:.1} ms"
    );
    if spread > MOVES || overloaded() {
        eprintln!("this machine is too busy to tell");
        return;
    }
    assert!(with - without <= MOVES + spread, "the others' p95 went from {without:.1} to {with:.1} ms");
}
