//! adb itself: missing, broken, killed, or the user's own.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use simphone::adb::{AdbFlavor, RealAdb};

use super::client;
use crate::support::{Bench, Flavor};

/// Calls that each need a device.
fn device_calls() -> Vec<(&'static str, Value)> {
    vec![
        ("get_ui_tree", json!({})),
        ("get_current_screen", json!({})),
        ("get_screen_fingerprint", json!({})),
        ("get_readiness", json!({})),
        ("tap", json!({ "x": 1, "y": 1 })),
        ("tap_element", json!({ "selector": { "text": "a" } })),
        ("type_text", json!({ "text": "a" })),
        ("start_app", json!({ "appId": "a" })),
        ("wait_for_ui", json!({ "selector": { "text": "a" } })),
        ("expect_element_visible", json!({ "selector": { "text": "a" } })),
        ("expect_state", json!({ "selector": { "text": "a" }, "property": "checked", "expected": true })),
        ("wait_for_readiness", json!({})),
        ("run_journey", json!({ "platform": "android", "steps": [{ "id": "a", "type": "press_back" }] })),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_adb_is_named_by_every_tool_with_what_to_do() {
    let nowhere = AdbFlavor::StandIn { program: "/nowhere/adb".into(), leading: Vec::new() };
    let client = client(&nowhere, &[]).await;
    for (tool, arguments) in device_calls().into_iter().chain([("list_devices", json!({}))]) {
        let answer = client.call(tool, arguments).await.refused("TOOL_NOT_FOUND", None);
        assert!(answer["/error/message"].as_str().unwrap().contains("/nowhere/adb"), "{tool}: {:#}", answer.structured);
        let remedy = answer["/error/remedy"].as_str().unwrap();
        assert!(remedy.contains("platform-tools") && remedy.contains("HANDSET_ADB"), "{tool}: {remedy}");
    }
    let status = client.call("get_system_status", json!({})).await.fine();
    assert_eq!(
        (&status["success"], &status["adbAvailable"], &status["status"]),
        (&json!(false), &json!(false), &json!("blocked"))
    );
    assert!(status["issues"][0].as_str().unwrap().contains("TOOL_NOT_FOUND"), "{:#}", status.structured);
    client.call("list_plugins", json!({})).await.fine();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_no_adb_is_a_failure_and_no_hang() {
    for program in ["/bin/true", "/bin/false", "/bin/cat"] {
        if !std::path::Path::new(program).is_file() {
            continue;
        }
        let client = client(&AdbFlavor::StandIn { program: program.into(), leading: Vec::new() }, &[]).await;
        for (tool, arguments) in [("get_ui_tree", json!({})), ("tap", json!({ "x": 1, "y": 1 }))] {
            let answer = client.call(tool, arguments).await;
            assert!(answer.is_error && !answer.code().is_empty(), "{program} {tool}: {:#}", answer.structured);
            assert!(answer.elapsed < std::time::Duration::from_secs(20), "{program} {tool}: {:?}", answer.elapsed);
        }
        let status = client.call("get_system_status", json!({})).await.fine();
        assert_eq!(status["success"], false, "{program}: {:#}", status.structured);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_adb_server_is_recovered_from() {
    if !Flavor::Real.there() {
        return;
    }
    let bench = Bench::new("login", Flavor::Real).await;
    let before = bench.call("get_ui_tree", json!({})).await.fine();
    let AdbFlavor::Real(adb) = &bench.adb else { panic!("the real one was asked for") };
    tokio::task::block_in_place(|| adb.kill_server()).unwrap();
    // The next adb starts a server, which knows of no phone yet: that is said, not waited out.
    let answer = bench.call("get_ui_tree", json!({})).await;
    assert!(
        answer.is_error && ["DEVICE_NOT_FOUND", "DEVICE_OFFLINE"].contains(&answer.code()),
        "{:#}",
        answer.structured
    );
    tokio::task::block_in_place(|| adb.connect(bench.phone().adb_addr())).unwrap();
    let after = bench.call("get_ui_tree", json!({})).await.fine();
    assert_eq!(before["snapshot_session_id"], after["snapshot_session_id"], "the same server process");
    bench.call("tap_element", json!({ "selector": { "text": "Sign in" } })).await.succeeded();
}

/// A stranger in the place of the user's own adb server counts who comes. Nobody may.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_users_own_adb_server_is_never_touched() {
    // Taken: by the user's server, which then stays as it is, unasked.
    let Ok(stranger) = TcpListener::bind(("127.0.0.1", 5037)) else { return };
    let visits = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&visits);
    std::thread::spawn(move || {
        for _ in stranger.incoming() {
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    #[allow(clippy::disallowed_methods, reason = "the tests start the product; the product spawns in one place")]
    let demo = std::process::Command::new(env!("CARGO_BIN_EXE_handset")).args(["demo", "--json"]).output().unwrap();
    assert!(demo.status.success(), "{demo:?}");
    for flavor in [Flavor::StandIn, Flavor::Real] {
        if !flavor.there() {
            continue;
        }
        let bench = Bench::new("login", flavor).await;
        if let AdbFlavor::Real(adb) = &bench.adb {
            assert_ne!(adb.port(), 5037);
        }
        bench.call("list_devices", json!({})).await.fine();
        bench.call("get_ui_tree", json!({})).await.fine();
        bench.call("tap_element", json!({ "selector": { "text": "Sign in" } })).await.succeeded();
    }
    assert_eq!(visits.load(Ordering::Relaxed), 0, "somebody came to port 5037");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_private_server_ends_with_whoever_started_it() {
    if !Flavor::Real.there() {
        return;
    }
    let port = tokio::task::spawn_blocking(|| {
        let adb = RealAdb::private().unwrap().unwrap();
        let port = adb.port();
        assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_ok(), "it listens");
        port
    });
    let port = port.await.unwrap();
    crate::support::wait_until("nobody listens", || std::net::TcpStream::connect(("127.0.0.1", port)).is_err()).await;
}
