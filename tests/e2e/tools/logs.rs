//! What a device logged: whose lines, since when, and what crashed.

use serde_json::{Value, json};

use crate::support::{Bench, Flavor, Setup, on_each_adb};

/// An app that logs as it starts and as its buttons are tapped.
const SCENE: &str = r#"
[app]
package = "com.example.chatty"
label = "Chatty"
start = "main"

[[screen]]
name = "main"
activity = ".MainActivity"
enter = [{ log = "I/Chatty: main shown" }, { log = "D/Chatty: details of main" }]

[[screen.element]]
class = "Button"
rid = "say"
text = "Say"
bounds = [0, 200, 1080, 400]
tap = [{ log = "W/Other: said with care" }]

[[screen.element]]
class = "Button"
rid = "crash"
text = "Crash"
bounds = [0, 500, 1080, 700]
tap = [{ crash = true }]

[[screen.element]]
class = "Button"
rid = "hang"
text = "Hang"
bounds = [0, 800, 1080, 1000]
tap = [{ anr = true }]
"#;

const APP: &str = "com.example.chatty";

async fn chatty(flavor: Flavor, sdk: Option<u32>) -> Bench {
    let scene = sdk.map_or_else(|| SCENE.to_owned(), |sdk| format!("[device]\nsdk = {sdk}\n{SCENE}"));
    Setup::written(&scene, flavor).start().await
}

async fn tap(bench: &Bench, id: &str) {
    let arguments = json!({ "selector": { "resource_id": id }, "verificationMode": "none" });
    bench.call("tap_element", arguments).await.succeeded();
}

fn messages(logs: &Value) -> Vec<&str> {
    logs.as_array().unwrap().iter().map(|entry| entry["message"].as_str().unwrap()).collect()
}

on_each_adb! {
    async fn an_apps_lines_come_with_level_tag_process_and_time(flavor) {
        let bench = chatty(flavor, None).await;
        let answer = bench.call("get_logs", json!({ "appId": APP })).await.fine();
        assert_eq!(messages(&answer["logs"]), ["main shown", "details of main"]);
        let entry = &answer["logs"][0];
        assert_eq!((&entry["level"], &entry["tag"]), (&json!("INFO"), &json!("Chatty")));
        assert!(entry["pid"].as_u64().is_some_and(|pid| pid > 0), "{entry:#}");
        assert!(entry["timestamp"].as_str().is_some_and(|at| at.starts_with("20") && at.ends_with('Z')), "{entry:#}");
        assert_eq!((&answer["source"], &answer["logCount"]), (&json!("package"), &json!(2)));
        assert_eq!(answer["/crash_summary/crash_detected"], false);
    }

    async fn an_app_is_followed_across_its_restart_and_the_crash_between_is_told(flavor) {
        let bench = chatty(flavor, None).await;
        tap(&bench, "crash").await;
        bench.call("start_app", json!({ "appId": APP, "verificationMode": "none" })).await.succeeded();
        let answer = bench.call("get_logs", json!({ "appId": APP, "contains": "MAIN SHOWN" })).await.fine();
        assert_eq!(answer["logCount"], 2, "{:#}", answer.structured);
        assert_ne!(answer["/logs/0/pid"], answer["/logs/1/pid"]);
        assert_eq!(answer["/meta/restarts/0/fromPid"], answer["/logs/0/pid"]);
        let crash = &answer["/crash_summary/crashes/0"];
        assert_eq!((&crash["kind"], &crash["process"]), (&json!("java"), &json!(APP)), "{crash:#}");
        assert_eq!(crash["first_app_frame"], "com.example.chatty.Model.load(Model.kt:7)");
        assert_eq!(answer["/crash_summary/exception"], "java.lang.IllegalStateException");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_system_says_of_the_apps_anr_is_in_its_summary() {
    let bench = chatty(Flavor::best(), None).await;
    tap(&bench, "hang").await;
    let answer = bench.call("get_logs", json!({ "appId": APP })).await.fine();
    assert_eq!(answer["/crash_summary/crashes/0/kind"], "anr", "{:#}", answer["crash_summary"]);
    assert!(answer["/crash_summary/exception"].as_str().unwrap().starts_with("Input dispatching timed out"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_logcat_without_uids_is_filtered_by_the_processes_the_app_had() {
    let bench = chatty(Flavor::StandIn, Some(23)).await;
    tap(&bench, "crash").await;
    bench.call("start_app", json!({ "appId": APP, "verificationMode": "none" })).await.succeeded();
    let answer = bench.call("get_logs", json!({ "appId": APP, "tag": "Chatty", "level": "info" })).await.fine();
    assert_eq!((&answer["source"], &answer["logCount"]), (&json!("process"), &json!(2)), "{:#}", answer.structured);
    assert_ne!(answer["/logs/0/pid"], answer["/logs/1/pid"]);
    assert!(answer["/logs/0/timestamp"].as_str().unwrap().ends_with('Z'), "the device told its year and zone");
    let log = bench.phone().journal().commands();
    assert!(log.iter().all(|entry| !entry.argv.iter().any(|word| word.starts_with("--uid"))), "it does not know --uid");
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_bound_the_answer_and_a_wrong_one_is_named() {
    let bench = chatty(Flavor::StandIn, None).await;
    tap(&bench, "say").await;
    let answer = bench.call("get_logs", json!({ "appId": APP, "limit": 1 })).await.fine();
    assert_eq!((messages(&answer["logs"]), &answer["/meta/omitted_older"]), (vec!["said with care"], &json!(2)));
    let answer = bench.call("get_logs", json!({ "appId": APP, "level": "WARN" })).await.fine();
    assert_eq!(answer["/logs/0/tag"], "Other");
    let pid = answer["/logs/0/pid"].clone();
    let answer = bench.call("get_logs", json!({ "pid": pid, "since_seconds": 600 })).await.fine();
    assert_eq!((&answer["source"], &answer["logCount"]), (&json!("pid"), &json!(3)), "{:#}", answer.structured);
    for (arguments, member) in [
        (json!({ "level": "loud" }), "level"),
        (json!({ "tag": "a\nb" }), "tag"),
        (json!({ "contains": "" }), "contains"),
        (json!({ "appId": "not.installed" }), "appId"),
    ] {
        bench.call("get_logs", arguments).await.refused("INVALID_FILTER", Some(member));
    }
}
