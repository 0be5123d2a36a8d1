//! Eight callers of one server, with and without a guest that spins.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::support::{Bench, Flavor, Setup};

/// Concurrent callers.
pub(crate) const CALLERS: usize = 8;
/// Between an answer and the next call of a caller.
const PAUSE: Duration = Duration::from_millis(100);

/// A server whose built-in classifiers are replaced by one that spins: what is built in is never put aside, so it does
/// so on and on.
pub(crate) async fn server() -> Bench {
    let setup = Setup::new("login", Flavor::StandIn).and(Setup::showing("login")).server(|server| {
        let hostile = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins/dist/tests/hostile.wasm");
        server.builtins.push(("readiness".to_owned(), hostile));
        server.config = Some("[plugins.readiness.settings]\nkind = \"readiness\"\nonly = \"spin\"\n".to_owned());
    });
    let bench = setup.start().await;
    let plugins = bench.client.plugins().await;
    let spinner = plugins.iter().find(|plugin| plugin["name"] == "readiness").expect("it is built in");
    assert_eq!(spinner["state"], "ready", "{spinner:#}");
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

/// Milliseconds of every call the callers made in that time, by caller; each was answered, and the guest ended each time.
pub(crate) async fn run(bench: &Bench, spinning: bool, length: Duration) -> Vec<Vec<f64>> {
    let over = AtomicBool::new(false);
    let callers = futures::future::join_all((0..CALLERS).map(|caller| call(bench, caller, &over)));
    let spinner = async {
        if spinning {
            spin(bench, &over).await;
        }
    };
    let clock = async {
        tokio::time::sleep(length).await;
        over.store(true, Ordering::Relaxed);
    };
    let (took, (), ()) = tokio::join!(callers, spinner, clock);
    took
}
