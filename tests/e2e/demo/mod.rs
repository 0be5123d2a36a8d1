//! `handset demo` and `handset serve --phone`: the way in for somebody who has no phone at hand.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Client, ServerOptions};

/// Runs the demo in folders of its own.
fn demo(change: impl FnOnce(&mut std::process::Command)) -> (Value, std::process::Output, Duration) {
    let folder = tempfile::tempdir().unwrap();
    #[allow(clippy::disallowed_methods, reason = "the tests start the product; the product spawns in one place")]
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_handset"));
    command.args(["demo", "--json"]);
    for (variable, name) in [("XDG_CACHE_HOME", "cache"), ("XDG_CONFIG_HOME", "config"), ("XDG_DATA_HOME", "data")] {
        command.env(variable, folder.path().join(name));
    }
    command.stdin(std::process::Stdio::null());
    change(&mut command);
    let began = Instant::now();
    let output = command.output().unwrap();
    let told = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    (told, output, began.elapsed())
}

#[track_caller]
fn assert_proved(told: &Value, output: &std::process::Output, took: Duration) {
    assert!(output.status.success(), "{told:#} {}", String::from_utf8_lossy(&output.stderr));
    assert!(took < Duration::from_secs(60), "{took:?}");
    assert_eq!(told["success"], true, "{told:#}");
    let chapters = told["chapters"].as_array().unwrap();
    let names: Vec<&str> = chapters.iter().filter_map(|chapter| chapter["name"].as_str()).collect();
    assert_eq!(names, ["devices", "tree", "guarded_tap", "blocked_tap", "readiness", "journey"]);
    for chapter in chapters {
        assert!(chapter["proved"] == true && !chapter["evidence"].is_null(), "{chapter:#}");
    }
    assert_eq!(chapters[3]["evidence"]["answer"]["failure_code"], "PRECONDITION_FAILED");
    assert_eq!(chapters[5]["evidence"][2]["plugin"]["body"]["greeting"], "Welcome, ada");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_proves_every_chapter() {
    let (told, output, took) = demo(|_| {});
    assert_proved(&told, &output, took);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_needs_no_adb_and_no_path() {
    let (told, output, took) = demo(|command| {
        command.env("PATH", "").env_remove("HOME");
    });
    assert_proved(&told, &output, took);
}

/// Found by these tests: which of the user's own devices the user means had the demo look for that one.
#[tokio::test(flavor = "multi_thread")]
async fn the_users_own_choices_are_none_of_the_demos() {
    const CHOICES: [(&str, &str); 4] = [
        ("ANDROID_SERIAL", "somebody-elses-phone"),
        ("HANDSET_ADB", "/nowhere/adb"),
        ("ANDROID_ADB_SERVER_PORT", "1"),
        ("ADB_SERVER_SOCKET", "tcp:localhost:1"),
    ];
    let (told, output, took) = demo(|command| {
        command.envs(CHOICES);
    });
    assert_proved(&told, &output, took);
    let env = CHOICES.map(|(name, value)| (name.into(), value.into())).to_vec();
    let client = Client::start(
        &ServerOptions { args: ["--phone", "login"].map(Into::into).into(), env, ..ServerOptions::default() },
        None,
    )
    .await;
    client.call("tap_element", json!({ "selector": { "text": "Sign in" } })).await.succeeded();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_story_is_told_to_people_too() {
    #[allow(clippy::disallowed_methods, reason = "the tests start the product; the product spawns in one place")]
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_handset")).arg("demo").output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{told}");
    assert_eq!((told.matches('✓').count(), told.matches('✗').count()), (6, 0), "{told}");
    assert!(told.contains("PRECONDITION_FAILED") && told.contains("Everything above was checked."), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_a_phone_of_its_own_is_driven_like_any() {
    let options = ServerOptions { args: ["--phone", "login"].map(Into::into).into(), ..ServerOptions::default() };
    let client = Client::start(&options, None).await;
    let listed = client.call("list_devices", json!({})).await.fine();
    assert_eq!(listed["devices"].as_array().unwrap().len(), 1);
    let tree = client.call("get_ui_tree", json!({ "format": "text" })).await.fine();
    assert!(tree["text"].as_str().unwrap().contains("Sign in to Example"), "{:#}", tree.structured);
    client.call("tap_element", json!({ "selector": { "text": "Sign in" } })).await.succeeded();
    client
        .call("wait_for_ui", json!({ "selector": { "text": "Welcome", "contains": true }, "condition": "visible" }))
        .await
        .succeeded();
    let (_, status) = client.close().await;
    assert!(status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scene_nobody_knows_is_said_on_stderr_alone() {
    #[allow(clippy::disallowed_methods, reason = "the tests start the product; the product spawns in one place")]
    let output =
        std::process::Command::new(env!("CARGO_BIN_EXE_handset")).args(["serve", "--phone", "logn"]).output().unwrap();
    assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("logn"), "{output:?}");
}
