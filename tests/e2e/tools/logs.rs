//! What a device logged: whose lines, since when, and what crashed.

use serde_json::{Value, json};

use crate::support::{Answer, Bench, Flavor, Setup, on_each_adb, wait_until};

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

/// Reads a stream until it shows what is waited for.
async fn read_until(bench: &Bench, holds: impl Fn(&Answer) -> bool) -> Answer {
    let began = std::time::Instant::now();
    loop {
        let answer = bench.call("read_log_stream", json!({})).await.fine();
        if holds(&answer) {
            return answer;
        }
        assert!(began.elapsed() < std::time::Duration::from_secs(20), "never: {:#}", answer.structured);
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

/// Logs that are still followed on the phone.
fn followed(phone: &simphone::Phone) -> usize {
    let commands = phone.journal().commands();
    commands.iter().filter(|entry| entry.argv[0] == "logcat" && entry.end_ms.is_none()).count()
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

on_each_adb! {
    async fn a_stream_follows_an_app_across_its_restart_until_it_is_stopped(flavor) {
        let bench = chatty(flavor, None).await;
        let arguments = json!({ "packageName": APP, "level": "warn" });
        let started = bench.call("start_log_stream", arguments).await.succeeded();
        assert_eq!((&started["sessionId"], &started["source"]), (&json!("default"), &json!("package")));
        tap(&bench, "say").await;
        let first = read_until(&bench, |answer| answer["entries"].to_string().contains("said with care")).await;
        assert!(!first["entries"].to_string().contains("main shown"), "that is only INFO: {:#}", first.structured);
        tap(&bench, "crash").await;
        bench.call("start_app", json!({ "appId": APP, "verificationMode": "none" })).await.succeeded();
        tap(&bench, "say").await;
        let again = |answer: &Answer| answer["entries"].to_string().matches("said with care").count() == 2;
        let second = read_until(&bench, again).await;
        let marked = second["entries"].as_array().unwrap().iter().filter(|entry| entry["restarted"] == true).count();
        assert_eq!(marked, 1, "{:#}", second.structured);
        assert_eq!(second["/crash_summary/exception"], "java.lang.IllegalStateException", "{:#}", second["crash_summary"]);
        let rest = bench.call("read_log_stream", json!({ "since": first["cursor"] })).await.fine();
        assert!(rest["entries"].as_array().unwrap().len() < second["entries"].as_array().unwrap().len());
        bench.call("stop_log_stream", json!({})).await.succeeded();
        wait_until("the device's logcat ended", || followed(bench.phone()) == 0).await;
        bench.call("read_log_stream", json!({})).await.refused("INVALID_ARGUMENT", Some("sessionId"));
    }

    async fn a_stream_says_that_its_device_is_gone_and_none_outlives_the_server(flavor) {
        let bench = chatty(flavor, None).await;
        bench.call("start_log_stream", json!({ "packageName": APP })).await.succeeded();
        bench.phone().set_online(false);
        let ended = read_until(&bench, |answer| answer["running"] == false).await;
        assert_eq!(ended["/ended/code"], "DEVICE_OFFLINE", "{:#}", ended.structured);
        let other = chatty(flavor, None).await;
        other.call("start_log_stream", json!({ "packageName": APP })).await.succeeded();
        assert_eq!(followed(other.phone()), 1);
        other.client.close().await;
        wait_until("the device's logcat ended", || followed(other.phone()) == 0).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_since_the_last_input_are_told_and_a_blocked_input_begins_no_new_window() {
    const TAPPED: &str = r#"tap = [{ log = "I/okhttp.OkHttpClient: --> POST https://api.acme.com/pay?card=1 h2" }, { log = "I/okhttp.OkHttpClient: <-- 503 https://api.acme.com/pay?card=1 (12ms, 3-byte body)" }]"#;
    let scene = SCENE
        .replace(
            r#"{ log = "I/Chatty: main shown" }"#,
            r#"{ log = "I/okhttp.OkHttpClient: <-- 200 https://api.acme.com/old (12ms)" }"#,
        )
        .replace(r#"tap = [{ log = "W/Other: said with care" }]"#, TAPPED);
    let bench = Setup::written(&scene, Flavor::StandIn).start().await;
    let old = bench.call("get_network_activity", json!({})).await.fine();
    assert_eq!((&old["count"], &old["/window/since"]), (&json!(1), &json!("log_start")), "{:#}", old.structured);
    // The device's clock is read in whole seconds, and a second more is left for it.
    let apart = std::time::Duration::from_millis(2_600);
    tokio::time::sleep(apart).await;
    tap(&bench, "say").await;
    let only = |answer: &Answer| {
        assert_eq!(
            (&answer["count"], &answer["/window/since"]),
            (&json!(1), &json!("last_action")),
            "{:#}",
            answer.structured
        );
        assert_eq!(
            (&answer["/requests/0/endpoint"], &answer["/requests/0/status"]),
            (&json!("https://api.acme.com/pay?redacted"), &json!("retryable"))
        );
    };
    only(&bench.call("get_network_activity", json!({})).await.fine());
    let tree = bench.call("get_ui_tree", json!({})).await.fine();
    bench.phone().goto("launcher");
    tokio::time::sleep(apart).await;
    let expected =
        json!({ "snapshotSessionId": tree["snapshot_session_id"], "snapshotRevision": tree["snapshot_revision"] });
    let blocked = bench.call("tap", bench.aimed(json!({ "x": 540, "y": 300, "expectedState": expected }))).await.fine();
    assert_eq!(blocked["dispatch_started"], false, "{:#}", blocked.structured);
    only(&bench.call("get_network_activity", json!({})).await.fine());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_debug_snapshot_has_all_parts_and_names_the_one_that_fails() {
    let bench = chatty(Flavor::StandIn, None).await;
    let whole = bench.call("capture_debug_snapshot", json!({ "reason": "why" })).await.fine();
    for part in ["screenshot", "ui_tree", "logs", "activity", "fingerprint", "snapshot_revision", "timestamp"] {
        assert!(!whole[format!("/raw/{part}").as_str()].is_null(), "{part}: {:#}", whole.structured);
    }
    assert_eq!((&whole["/raw/reason"], &whole["/semantic/confidence"]), (&json!("why"), &json!(1.0)));
    assert!(whole["/semantic/actions_available"].to_string().contains("tap Say"));
    bench.phone().fault(simphone::Fault::forever("screencap", simphone::FaultKind::Killed));
    let partial = bench.call("capture_debug_snapshot", json!({ "includeLogs": false })).await.fine();
    assert_eq!(partial["/raw/screenshot_error/code"], "UNSUPPORTED", "{:#}", partial.structured);
    assert!(partial["/raw/ui_tree"].as_str().unwrap().contains("Say") && partial["/raw/logs"].is_null());
}
