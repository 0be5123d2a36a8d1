//! Installing: what reaches the device, what counts as a success, and what each refusal asks for.

use std::path::Path;

use serde_json::json;
use simphone::{Fault, FaultKind};

use crate::support::{Bench, Flavor, on_each_adb};

/// Files of bytes that nobody unpacks.
fn files(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, vec![7; 100_000]).unwrap();
    }
    folder
}

fn at(folder: &tempfile::TempDir, name: &str) -> String {
    Path::new(folder.path()).join(name).display().to_string()
}

on_each_adb! {
    async fn an_apk_is_installed_for_the_user_in_front(flavor) {
        let bench = Bench::new("login", flavor).await;
        bench.phone().add_user(10, "Work", true);
        let folder = files(&["My app.apk"]);
        let mark = bench.mark();
        let answer = bench.call("install_app", json!({ "appPath": at(&folder, "My app.apk") })).await.succeeded();
        assert_eq!(bench.phone().journal().installs(), ["stdin (100000 bytes)"]);
        let command = mark.commands().into_iter().find(|command| command.argv.contains(&"install".to_owned())).unwrap();
        assert_eq!(command.argv[..7], ["cmd", "package", "install", "-r", "-t", "--user", "10"]);
        assert_eq!(
            (&answer["installed"], &answer["delivery_status"], &answer["/diagnostics/user"]),
            (&json!(true), &json!("delivered"), &json!(10)),
            "{:#}",
            answer.structured
        );
        assert!(!answer.progress.is_empty(), "it says that it is at work");
    }

    async fn a_folder_of_splits_is_one_app(flavor) {
        let bench = Bench::new("login", flavor).await;
        let folder = files(&["split_config.arm64_v8a.apk", "base.apk", "split_config.de.apk"]);
        let arguments = json!({ "appPath": folder.path().display().to_string() });
        let answer = bench.call("install_app", arguments).await.succeeded();
        let wanted = "base.apk (100000 bytes) + split_config.arm64_v8a.apk (100000 bytes) + split_config.de.apk (100000 bytes)";
        assert_eq!(bench.phone().journal().installs(), [wanted]);
        assert_eq!(answer["/diagnostics/files"].as_array().unwrap().len(), 3);
        let listed = json!({ "appPath": at(&folder, "base.apk"), "splitPaths": [at(&folder, "split_config.de.apk")] });
        bench.call("install_app", listed).await.succeeded();
        assert_eq!(bench.phone().journal().installs()[1], "base.apk (100000 bytes) + split_config.de.apk (100000 bytes)");
    }

    async fn a_refusal_is_androids_own_word_and_says_what_to_do(flavor) {
        let bench = Bench::new("login", flavor).await;
        let folder = files(&["a.apk", "set/base.apk", "set/split_x.apk"]);
        for (path, on) in [("a.apk", "cmd package install"), ("set", "cmd package install-commit")] {
            let text = "Failure [INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected: Update version code 1 is older than current 2]";
            let kind = FaultKind::ErrorText { text: text.to_owned(), stderr: false, status: 1 };
            bench.phone().fault(Fault::once(on, kind));
            let answer = bench.call("install_app", json!({ "appPath": at(&folder, path) })).await.fine();
            assert_eq!((answer.code(), &answer["installed"]), ("ACTION_REJECTED", &json!(false)), "{:#}", answer.structured);
            assert_eq!(answer["delivery_status"], "not_delivered");
            assert!(answer["/error/message"].as_str().unwrap().contains("INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade"));
            assert!(answer["/error/remedy"].as_str().unwrap().contains("raise versionCode"), "{:#}", answer.structured);
        }
        assert_eq!(bench.phone().journal().installs(), Vec::<String>::new());
    }

    async fn an_install_that_says_nothing_is_no_success(flavor) {
        let bench = Bench::new("login", flavor).await;
        let folder = files(&["a.apk"]);
        let kind = FaultKind::ErrorText { text: "well".to_owned(), stderr: false, status: 0 };
        bench.phone().fault(Fault::once("cmd package install", kind));
        let answer = bench.call("install_app", json!({ "appPath": at(&folder, "a.apk") })).await.fine();
        assert_eq!((&answer["success"], &answer["installed"]), (&json!(false), &json!(false)), "{:#}", answer.structured);
        assert_eq!((&answer["delivery_status"], &answer["retryable"]), (&json!("unknown"), &json!(false)));
    }

    async fn an_install_whose_end_was_not_seen_is_unknown(flavor) {
        let bench = Bench::new("login", flavor).await;
        let folder = files(&["a.apk"]);
        bench.phone().fault(Fault::once("cmd package install", FaultKind::Hang));
        let arguments = json!({ "appPath": at(&folder, "a.apk"), "timeoutMs": 1_500 });
        let answer = bench.call("install_app", arguments).await.fine();
        assert_eq!((answer.code(), &answer["delivery_status"]), ("ACTION_TIMEOUT", &json!("unknown")));
        assert!(answer["/error/remedy"].as_str().unwrap().contains("before repeating"), "{:#}", answer.structured);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_app_is_refused_before_any_device_work() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    let folder = files(&["a.txt", "b.xapk", "two/base.apk", "two/x;reboot.apk"]);
    for path in ["a.txt", "b.xapk", "gone.apk"] {
        let mark = bench.mark();
        let answer = bench.call("install_app", json!({ "appPath": at(&folder, path) })).await;
        answer.refused("INVALID_ARGUMENT", Some("appPath"));
        assert!(mark.commands().is_empty(), "{path}");
    }
    // adb passes the names of several files to the device's shell as they are.
    let answer = bench.call("install_app", json!({ "appPath": at(&folder, "two") })).await;
    answer.refused("INVALID_ARGUMENT", Some("appPath"));
    assert_eq!(bench.phone().journal().installs(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_installs_what_it_has_built() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    let folder = files(&["settings.gradle.kts", "app/build/outputs/apk/debug/app-debug.apk"]);
    let arguments = json!({ "appPath": folder.path().display().to_string(), "projectType": "native" });
    let answer = bench.call("install_app", arguments).await.succeeded();
    assert!(answer["/diagnostics/files/0"].as_str().unwrap().ends_with("app-debug.apk"), "{:#}", answer.structured);
}
