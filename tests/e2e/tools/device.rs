//! The device itself: links opened, the screen turned, an emulator placed, started and ended; what Android has not.

use serde_json::{Value, json};

use super::managing::acts;
use crate::support::{Bench, Flavor, on_each_adb};

on_each_adb! {
    async fn a_link_is_opened_by_the_app_that_takes_it(flavor) {
        let bench = Bench::new("login", flavor).await;
        bench.call("press_back", json!({ "verificationMode": "none" })).await.succeeded();
        let mark = bench.mark();
        let url = "simphone://open/1?a=b&c='x'#d";
        let answer = bench.call("open_url", json!({ "url": url })).await.succeeded();
        assert_eq!(acts(&mark), [format!("am start -W --user 0 -a android.intent.action.VIEW -d {url}")]);
        assert_eq!(bench.phone().screen_name(), "login");
        assert_eq!((&answer["opened"], &answer["delivery_status"]), (&json!(true), &json!("delivered")));
        let mark = bench.mark();
        bench.call("open_url", json!({ "url": url, "appId": "com.example.login" })).await.succeeded();
        assert!(acts(&mark)[0].ends_with(&format!("-d {url} com.example.login")), "{:?}", acts(&mark));
    }

    async fn a_link_that_no_app_takes_is_rejected(flavor) {
        let bench = Bench::new("login", flavor).await;
        let answer = bench.call("open_url", json!({ "url": "https://example.com/" })).await.fine();
        assert_eq!((answer.code(), &answer["delivery_status"]), ("ACTION_REJECTED", &json!("not_delivered")));
        assert!(answer["/error/remedy"].as_str().unwrap().contains("No app of this user"), "{:#}", answer.structured);
    }

    async fn the_screen_is_turned_and_what_was_in_force_is_told(flavor) {
        let bench = Bench::new("login", flavor).await;
        let mut before = json!("auto");
        for (held, width) in [("landscape", 2_400), ("portrait", 1_080), ("reverse-landscape", 2_400), ("auto", 2_400)] {
            let answer = bench.call("set_orientation", json!({ "orientation": held })).await.succeeded();
            assert_eq!(answer["before"], before, "{held}");
            let tree = bench.call("get_ui_tree", json!({})).await.fine();
            assert_eq!(tree["/resolution/width"], width, "{held}");
            before = json!(held);
        }
    }

    async fn what_needs_an_emulator_says_so_and_sends_nothing(flavor) {
        let bench = Bench::new("login", flavor).await;
        let place = json!({ "latitude": 52.5, "longitude": 13.4 });
        for (tool, done, arguments) in
            [("set_location", "locationSet", place), ("shutdown_device", "shutDown", json!({}))]
        {
            let answer = bench.call(tool, arguments).await.fine();
            assert_eq!((answer.code(), &answer[done]), ("UNSUPPORTED", &json!(false)), "{:#}", answer.structured);
            assert_eq!((&answer["dispatch_started"], &answer["delivery_status"]), (&json!(false), &json!("not_delivered")));
            assert!(answer["/error/message"].as_str().unwrap().contains("needs an emulator"), "{:#}", answer.structured);
        }
    }

    async fn the_clipboard_is_what_the_device_itself_says_it_is(flavor) {
        let bench = Bench::new("login", flavor).await;
        let refused = bench.call("get_clipboard", json!({})).await.refused("UNSUPPORTED", None);
        assert!(refused["/error/message"].as_str().unwrap().contains("No shell command implementation"));
        let answer = bench.call("set_clipboard", json!({ "text": "secret" })).await.fine();
        assert_eq!((answer.code(), &answer["dispatch_started"]), ("UNSUPPORTED", &json!(false)));
        assert!(!answer.structured.to_string().contains("secret"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn urls_that_start_something_else_reach_no_device() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    let wrong: Vec<Value> = [
        "intent:#Intent;component=a.b/.C;end",
        "file:///sdcard/a",
        "content://sms",
        "JavaScript:alert(1)",
        "https://a b",
        "https://a\nb",
        "https://a$(input tap 1 1)`id`",
        "no-scheme",
    ]
    .into_iter()
    .map(|url| json!({ "url": url }))
    .collect();
    for arguments in wrong {
        let mark = bench.mark();
        bench.call("open_url", arguments).await.refused("INVALID_ARGUMENT", Some("url"));
        assert_eq!(acts(&mark), Vec::<String>::new());
    }
    for (member, arguments) in [
        ("latitude", json!({ "latitude": 91, "longitude": 0 })),
        ("longitude", json!({ "latitude": 0, "longitude": -181 })),
    ] {
        bench.call("set_location", arguments).await.refused("INVALID_ARGUMENT", Some(member));
    }
    bench
        .call("set_orientation", json!({ "orientation": "sideways" }))
        .await
        .refused("INVALID_ARGUMENT", Some("orientation"));
}

/// The SDK's emulator as a program of the test's own.
#[cfg(unix)]
mod booting {
    use super::*;
    use crate::support::Setup;

    fn sdk(script: &str) -> tempfile::TempDir {
        use std::os::unix::fs::PermissionsExt;
        let sdk = tempfile::tempdir().unwrap();
        let program = sdk.path().join("emulator/emulator");
        std::fs::create_dir_all(program.parent().unwrap()).unwrap();
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        sdk
    }

    async fn bench(sdk: &tempfile::TempDir) -> Bench {
        let home = sdk.path().as_os_str().to_owned();
        Setup::new("login", Flavor::best())
            .server(|server| server.env.push(("ANDROID_HOME".into(), home)))
            .start()
            .await
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_virtual_device_must_be_one_there_is() {
        let sdk = sdk("echo 'INFO    | Storing crashdata in: /tmp/x'; echo One; echo Two");
        let bench = bench(&sdk).await;
        for arguments in [json!({}), json!({ "avd": "Three" })] {
            let answer = bench.call("boot_device", arguments).await.refused("INVALID_ARGUMENT", Some("avd"));
            assert_eq!(answer["/error/candidates"], json!(["One", "Two"]));
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn an_emulator_that_ends_at_once_is_no_boot() {
        let sdk = sdk("case $1 in -list-avds) echo One;; *) echo 'FATAL | no KVM' >&2; exit 3;; esac");
        let answer = bench(&sdk).await.call("boot_device", json!({})).await.fine();
        assert_eq!((answer.code(), &answer["booted"]), ("ACTION_REJECTED", &json!(false)), "{:#}", answer.structured);
        assert!(answer["/error/message"].as_str().unwrap().contains("no KVM"), "{:#}", answer.structured);
    }
}
