//! `handset selfcheck` and `handset phone serve --from`: what one device answers, written down and answered again.

use std::path::Path;
use std::process::Output;
use std::time::Duration;

use serde_json::json;
use simphone::adb::{AdbFlavor, RealAdb};
use simphone::{Fault, FaultKind, Phone, PhoneOptions, Report, Scene};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;
use toml::{Table, Value};

use crate::support::{Client, Flavor, ServerOptions, Setup, command, on_each_adb};

/// Runs `handset selfcheck` through this adb.
async fn selfcheck(adb: &AdbFlavor, args: &[&str]) -> Output {
    let mut command = command(&["selfcheck"], Some(adb));
    command.args(args);
    let ended = tokio::time::timeout(Duration::from_secs(120), command.output()).await;
    ended.expect("it ends").expect("the built binary starts")
}

/// What it wrote of the one device there, and what it printed.
async fn reported(adb: &AdbFlavor, folder: &Path, args: &[&str]) -> (Table, String) {
    let file = folder.join("report.toml");
    let output = selfcheck(adb, &[&["--output", file.to_str().unwrap()], args].concat()).await;
    assert!(output.status.success(), "{output:?}");
    let text = std::fs::read_to_string(&file).unwrap();
    (toml::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}")), String::from_utf8(output.stdout).unwrap())
}

/// Everything but how long it took.
fn timeless(mut report: Table) -> Table {
    report.remove("latency");
    report
}

fn at<'a>(report: &'a Table, path: &[&str]) -> &'a Value {
    let (first, rest) = path.split_first().unwrap();
    rest.iter().fold(&report[*first], |value, key| &value[*key])
}

/// `handset phone serve` until it is dropped, and an adb that has its phone.
async fn served(flavor: Flavor, args: &[&str]) -> (Child, AdbFlavor) {
    let mut child = command(&[&["phone", "serve"], args].concat(), None).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).await.unwrap();
    let told: serde_json::Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
    let addr = told["phones"][0]["adb"].as_str().unwrap().to_owned();
    let adb = match flavor {
        Flavor::StandIn => AdbFlavor::StandIn {
            program: env!("CARGO_BIN_EXE_handset").into(),
            leading: ["phone", "adb", "--phones", &addr].map(Into::into).into(),
        },
        Flavor::Real => {
            let adb = RealAdb::private().unwrap().unwrap();
            tokio::task::block_in_place(|| adb.connect(addr.parse().unwrap())).unwrap();
            AdbFlavor::Real(adb)
        }
    };
    (child, adb)
}

on_each_adb! {
    async fn a_phone_like_the_report_gives_the_same_report(flavor) {
        let bench = Setup::new("settings", flavor).phone(|phone| {
            phone.scene.device.sdk = 30;
            phone.scene.device.release = "11".to_owned();
            phone.scene.device.model = "SM-A515F".to_owned();
            phone.scene.device.size = "1080x2340".to_owned();
        }).start().await;
        let folder = tempfile::tempdir().unwrap();
        let (first, shown) = reported(&bench.adb, folder.path(), &[]).await;
        assert_eq!(at(&first, &["properties", "ro.product.model"]).as_str(), Some("SM-A515F"));
        assert!(at(&first, &["answers", "window", "text"]).as_str().unwrap().contains("mCurrentFocus=Window{"), "{first:#?}");
        assert_eq!(at(&first, &["dumps", "windows", "root"]).as_str(), Some("displays"));
        assert!(shown.contains("SM-A515F, Android 11 (SDK 30)"), "{shown}");
        let report = folder.path().join("report.toml");
        let (_phone, adb) = served(flavor, &["settings", "--from", report.to_str().unwrap()]).await;
        let (second, _) = reported(&adb, folder.path(), &[]).await;
        let (first, second) = (timeless(first), timeless(second));
        assert_eq!(second, first, "{second:#?}\n\n{first:#?}");
    }
}

/// Lines as Android 6 prints them, for a report of a phone that had none of what came later.
const MARSHMALLOW: &str = "  mFocusedActivity: ActivityRecord{0000000 u0 com.example.login/.LoginActivity t8}";

on_each_adb! {
    async fn a_report_edited_into_an_older_device_is_one(flavor) {
        let folder = tempfile::tempdir().unwrap();
        let bench = Setup::new("login", flavor).start().await;
        let (mut report, _) = reported(&bench.adb, folder.path(), &["--reads", "1"]).await;
        report["features"] = Value::Array(vec!["cmd".into()]);
        report["properties"]["ro.build.version.sdk"] = "23".into();
        report["properties"]["ro.build.version.release"] = "6.0.1".into();
        report["commands"]["timeout"] = false.into();
        report["dumps"].as_table_mut().unwrap().remove("windows");
        report["answers"]["missing_command"]["text"] = "/system/bin/sh: handset-no-such-command: not found".into();
        report["answers"]["activity"]["text"] = MARSHMALLOW.replace("com.example.login/.LoginActivity", report["front"].as_str().unwrap()).into();
        let options = Report::parse(&toml::to_string(&report).unwrap()).unwrap().options(Scene::by_name("login").unwrap());
        let phone = [Phone::start(options).await.unwrap()];
        let adb = flavor.connected(&phone).await;

        let (older, _) = reported(&adb, folder.path(), &["--reads", "1"]).await;
        assert_eq!(at(&older, &["commands", "timeout"]).as_bool(), Some(false));
        assert_eq!(at(&older, &["dumps", "windows", "root"]).as_str(), Some("hierarchy"), "the option is ignored");
        assert_eq!(at(&older, &["answers", "missing_command", "text"]).as_str(), Some("/system/bin/sh: handset-no-such-command: not found"));
        assert!(!older["features"].as_array().unwrap().contains(&"shell_v2".into()), "{older:#?}");

        let client = Client::start(&ServerOptions::default(), Some(&adb)).await;
        let tree = client.call("get_ui_tree", json!({})).await.fine();
        assert_eq!(tree["/device/osVersion"], "6.0.1", "{tree:?}");
        let screen = client.call("get_current_screen", json!({})).await.fine();
        assert_eq!(screen["package"], report["front"].as_str().unwrap().split('/').next().unwrap(), "{screen:?}");
        let ran = phone[0].journal().commands();
        assert!(ran.iter().all(|command| command.argv[0] != "timeout"), "{ran:#?}");
    }

    async fn a_question_that_fails_is_recorded_and_the_rest_goes_on(flavor) {
        let bench = Setup::new("login", flavor).start().await;
        if flavor == Flavor::StandIn {
            // The stock adb does not find a phone again that was lost over TCP.
            bench.phone().fault(Fault::forever("dumpsys power", FaultKind::GoneMidCommand { after_ms: 0 }));
        }
        bench.phone().fault(Fault::forever("wm density", FaultKind::ErrorText { text: "Error: no".to_owned(), stderr: false, status: 1 }));
        bench.phone().fault(Fault::forever("dump", FaultKind::NullRoot));
        let folder = tempfile::tempdir().unwrap();
        let (report, shown) = reported(&bench.adb, folder.path(), &["--reads", "1"]).await;
        let lost = report["answers"]["power"].get("failed").and_then(Value::as_str);
        assert_eq!(lost, (flavor == Flavor::StandIn).then_some("DEVICE_OFFLINE"));
        assert_eq!(at(&report, &["answers", "density", "status"]).as_integer(), Some(1));
        assert_eq!(at(&report, &["dumps", "stock", "failed"]).as_str(), Some("NULL_ROOT"));
        assert_eq!(at(&report, &["answers", "size", "status"]).as_integer(), Some(0));
        assert!(shown.contains("NULL_ROOT: ERROR: null root node returned by UiTestAutomationBridge."), "{shown}");
    }
}

/// Words of every screen of the login scene, as its tree has them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_word_of_the_screen_and_no_serial_is_in_a_report() {
    let bench =
        Setup::new("login", Flavor::best()).phone(|phone| phone.serial = Some("R58M123ABCD".to_owned())).start().await;
    let folder = tempfile::tempdir().unwrap();
    reported(&bench.adb, folder.path(), &[]).await;
    let text = std::fs::read_to_string(folder.path().join("report.toml")).unwrap();
    let tree = bench.call("get_ui_tree", json!({})).await.fine();
    let words: Vec<&str> = tree["elements"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|element| [&element["text"], &element["contentDescription"]])
        .filter_map(serde_json::Value::as_str)
        .collect();
    assert!(words.len() >= 3, "{tree:?}");
    for word in words.into_iter().chain(["R58M123ABCD", &bench.device]) {
        assert!(!text.contains(word), "{word:?} is in the report:\n{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_leave_nothing_is_sent() {
    let bench = Setup::new("login", Flavor::best()).start().await;
    let mark = bench.mark();
    let output = selfcheck(&bench.adb, &["--reads", "2"]).await;
    assert!(output.status.success(), "{output:?}");
    mark.no_input("selfcheck");
    assert_eq!(mark.good_dumps(), 4, "two as they are, one compressed, one with windows");
    assert!(String::from_utf8_lossy(&output.stdout).contains("--output FILE"), "{output:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn which_device_of_several_has_to_be_said() {
    let bench = Setup::new("login", Flavor::StandIn).and(Setup::showing("settings")).start().await;
    let output = selfcheck(&bench.adb, &[]).await;
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("AMBIGUOUS_DEVICE"), "{output:?}");
    let output = selfcheck(&bench.adb, &["--device", &bench.device, "--reads", "1"]).await;
    assert!(output.status.success(), "{output:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_is_no_report_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    for (text, why) in [("schema = 7", "schema 7"), ("schema = \"1\"", "invalid type"), ("<hierarchy/>", "TOML")] {
        let file = folder.path().join("a.toml");
        std::fs::write(&file, text).unwrap();
        let output = command(&["phone", "serve", "--from", file.to_str().unwrap()], None).output().await.unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("a.toml") && said.contains(why), "{text}: {said}");
    }
    let options = Report::parse(
        "schema = 1\n[latency.dump]\nmin_ms = 900.0\nmax_ms = 1100.0\n[latency.round_trip]\nmedian_ms = 100.0",
    );
    let options: PhoneOptions = options.unwrap().options(Scene::by_name("login").unwrap());
    assert_eq!(options.profile.dump_ms, (800, 1000));
}
