//! `handset doctor` and `get_system_status`: one list of checks, for a person and for an agent.

use std::path::Path;

use serde_json::{Value, json};
use simphone::adb::AdbFlavor;
use simphone::{Fault, FaultKind};
use tokio::process::Command;

use crate::support::{Bench, Client, Flavor, ServerOptions, Setup, command, on_each_adb};

/// What a doctor says: its exit status, and its checks.
async fn examined(mut command: Command) -> (i32, Vec<Value>) {
    let output = command.arg("--json").output().await.unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let status = output.status.code().unwrap();
    assert_eq!(told["ok"], status == 0, "{told:#}");
    (status, told["checks"].as_array().unwrap().clone())
}

#[track_caller]
fn check<'a>(checks: &'a [Value], name: &str) -> &'a Value {
    checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("no check {name:?} in {checks:#?}"))
}

#[track_caller]
fn says(check: &Value, verdict: &str, words: &str) {
    assert_eq!(check["verdict"], verdict, "{check:#}");
    assert!(check["found"].as_str().unwrap().contains(words), "{check:#}");
    if verdict == "broken" || verdict == "warning" {
        assert!(check["fix"].as_str().is_some_and(|fix| fix.len() > 10), "{check:#}");
    }
}

on_each_adb! {
    async fn where_all_is_there_the_doctor_is_content(flavor) {
        let bench = Bench::new("login", flavor).await;
        let (status, checks) = examined(command(&["doctor"], Some(&bench.adb))).await;
        assert_eq!(status, 0, "{checks:#?}");
        says(check(&checks, "adb"), "fine", &bench.adb.program().display().to_string());
        says(check(&checks, &bench.device), "fine", "Pixel 7, Android 14");
        says(check(&checks, "plugins"), "fine", "3 load");
        for name in ["config", "cache", "locks"] {
            assert_eq!(check(&checks, name)["verdict"], "fine", "{checks:#?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_broken_is_named_with_its_fix_and_the_rest_is_examined() {
    let nowhere = AdbFlavor::StandIn { program: "/nowhere/adb".into(), leading: Vec::new() };
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.toml");
    std::fs::write(&config, "[androit]\n").unwrap();
    let mut doctor = command(&["doctor", "--config", config.to_str().unwrap()], Some(&nowhere));
    doctor.env("TMPDIR", folder.path().join("not there")).env("XDG_CACHE_HOME", "/dev/null");
    let (status, checks) = examined(doctor).await;
    assert_eq!(status, 1, "{checks:#?}");
    says(check(&checks, "config"), "broken", "androit");
    says(check(&checks, "adb"), "broken", "/nowhere/adb");
    says(check(&checks, "cache"), "warning", "/dev/null");
    says(check(&checks, "locks"), "warning", "temporary folder");
    says(check(&checks, "plugins"), "fine", "3 load");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_reads_a_line_a_check_and_its_fix_beneath() {
    let nobody = Flavor::StandIn.connected(&[]).await;
    let output = command(&["doctor"], Some(&nobody)).output().await.unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    let at = lines.iter().position(|line| line.starts_with("BROKEN   devices")).unwrap_or_else(|| panic!("{said}"));
    assert!(lines[at].contains("no usable Android device"), "{said}");
    assert!(lines[at + 1].trim_start().starts_with("-> Attach a phone"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_several_devices_each_state_is_told_and_one_that_works_is_enough() {
    let bench = Setup::new("login", Flavor::StandIn).and(Setup::showing("settings")).start().await;
    bench.phones[1].fault(Fault::now(FaultKind::Unauthorized));
    let (status, checks) = examined(command(&["doctor"], Some(&bench.adb))).await;
    assert_eq!(status, 0, "{checks:#?}");
    says(check(&checks, &bench.phones[1].adb_addr().to_string()), "warning", "unauthorized");
    says(check(&checks, &bench.device), "fine", "Android 14");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn logs_are_available_when_a_device_gave_a_line_of_its_log() {
    let bench = Bench::new("login", Flavor::best()).await;
    assert_eq!(bench.call("get_system_status", json!({})).await.fine()["logsAvailable"], true);
    let ran = bench.phone().journal().commands();
    assert!(ran.iter().any(|command| command.argv == ["logcat", "-d", "-t", "1"]), "{ran:#?}");
    let none = FaultKind::ErrorText { text: "logcat: unexpected EOF!".to_owned(), stderr: true, status: 1 };
    bench.phone().fault(Fault::forever("logcat", none));
    let told = bench.call("get_system_status", json!({})).await.fine();
    assert_eq!((&told["logsAvailable"], &told["status"]), (&json!(false), &json!("degraded")), "{:#}", told.structured);
    assert!(told["/summary/android/suggestedFixes/0"].as_str().unwrap().contains("logcat"), "{:#}", told.structured);
}

/// A Java and an SDK that are there as far as anybody looks.
fn toolchain(folder: &Path) -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    std::fs::create_dir_all(folder.join("jdk/bin")).unwrap();
    std::fs::create_dir_all(folder.join("sdk/emulator")).unwrap();
    std::fs::write(folder.join("jdk/bin/java"), "").unwrap();
    std::fs::write(folder.join("jdk/release"), "JAVA_VERSION=\"21.0.4\"\n").unwrap();
    std::fs::write(folder.join("sdk/emulator/emulator"), "").unwrap();
    vec![("JAVA_HOME".into(), folder.join("jdk").into()), ("ANDROID_HOME".into(), folder.join("sdk").into())]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_builds_need_is_told_apart_from_what_devices_need() {
    let folder = tempfile::tempdir().unwrap();
    let env = toolchain(folder.path());
    let setup = Setup::new("login", Flavor::StandIn).server(|server| server.env = env);
    let bench = setup.start().await;
    let told = bench.call("get_system_status", json!({})).await.fine();
    assert_eq!(told["/summary/gradle/ready"], true, "{:#}", told.structured);
    assert!(told["/summary/gradle/summary"].as_str().unwrap().contains("Java 21.0.4 at"), "{:#}", told.structured);
    assert_eq!(told["/summary/gradle/blockers"], json!([]));

    std::fs::remove_file(folder.path().join("jdk/bin/java")).unwrap();
    let told = bench.call("get_system_status", json!({})).await.fine();
    assert_eq!((&told["status"], &told["/summary/gradle/ready"]), (&json!("ready"), &json!(false)));
    assert!(told["/summary/gradle/blockers/0"].as_str().unwrap().contains("no bin/java"), "{:#}", told.structured);
    assert!(told["/summary/gradle/suggestedFixes/0"].as_str().unwrap().contains("JAVA_HOME"), "{:#}", told.structured);
    assert_eq!(told["/summary/ios/ready"], false);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_app_that_the_environment_names_is_looked_for() {
    for (app, there) in [("com.example.login", true), ("com.example.other", false)] {
        let setup = Setup::new("login", Flavor::StandIn)
            .server(|server| server.env = vec![("MCP_TARGET_PACKAGE".into(), app.into())]);
        let told = setup.start().await.call("get_system_status", json!({})).await.fine();
        assert_eq!((&told["appInstalled"], &told["status"]), (&json!(there), &json!("ready")), "{:#}", told.structured);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_listing_that_hangs_does_not_take_longer_than_the_status_may() {
    let slow = AdbFlavor::StandIn {
        program: "/bin/sh".into(),
        leading: vec![
            "-c".into(),
            "case $1 in version) echo 'Version 35.0.2'; exit;; esac; exec sleep 60".into(),
            "adb".into(),
        ],
    };
    let client = Client::start(&ServerOptions::default(), Some(&slow)).await;
    let told = client.call("get_system_status", json!({})).await.fine();
    assert_eq!((&told["status"], &told["adbVersion"]), (&json!("blocked"), &json!("35.0.2")), "{:#}", told.structured);
    assert!(told["/issues/0"].as_str().unwrap().contains("TIMEOUT"), "{:#}", told.structured);
    assert!(told.elapsed.as_millis() >= 4_500, "it was given its five seconds: {:?}", told.elapsed);
}
