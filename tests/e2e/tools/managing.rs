//! Apps: restarted, ended, reset, given permissions, for the user they are meant for.

use serde_json::{Value, json};
use simphone::{Fault, FaultKind};

use crate::support::{Bench, Flavor, Mark, on_each_adb};

const APP: &str = "com.example.login";
const CAMERA: &str = "android.permission.CAMERA";

/// Command lines that change something, in order.
pub(super) fn acts(mark: &Mark) -> Vec<String> {
    let acting = [
        "am force-stop",
        "am start",
        "pm clear",
        "pm grant",
        "pm revoke",
        "monkey",
        "settings put",
        "cmd package install",
    ];
    let lines = mark.commands().into_iter().map(|command| command.argv.join(" "));
    lines.filter(|line| acting.iter().any(|words| line.starts_with(words))).collect()
}

on_each_adb! {
    async fn an_app_is_restarted_as_new(flavor) {
        let bench = Bench::new("login", flavor).await;
        bench.phone().set_text("login.username", "left over");
        let mark = bench.mark();
        let answer = bench.call("restart_app", json!({ "appId": APP })).await.succeeded();
        assert_eq!(
            acts(&mark),
            [
                "am force-stop --user 0 com.example.login",
                "am start -W --user 0 -a android.intent.action.MAIN -c android.intent.category.LAUNCHER -n com.example.login/.MainActivity",
            ]
        );
        assert_eq!(bench.phone().text_of("login.username").as_deref(), Some(""), "the app began anew");
        assert_eq!(answer["/details/observed_app/matchedTarget"], true, "{:#}", answer.structured);
        assert_eq!(answer["/effective_controls/actionTimeoutMs"], 15_000);
        assert_eq!((&answer["source_module"], &answer["delivery_status"]), (&json!("manage"), &json!("delivered")));
    }

    async fn a_restart_whose_first_half_hangs_starts_nothing(flavor) {
        let bench = Bench::new("login", flavor).await;
        bench.phone().fault(Fault::once("am force-stop", FaultKind::Hang));
        let mark = bench.mark();
        let arguments = json!({ "appId": APP, "actionTimeoutMs": 1_500, "verificationMode": "none" });
        let answer = bench.call("restart_app", arguments).await.fine();
        assert_eq!((answer.code(), &answer["delivery_status"]), ("ACTION_TIMEOUT", &json!("unknown")));
        assert_eq!(acts(&mark), ["am force-stop --user 0 com.example.login"]);
    }

    async fn a_restarted_app_that_does_not_come_to_the_front_fails_its_verification(flavor) {
        let bench = Bench::new("login", flavor).await;
        // `am` says that it started it, and the launcher stays in front.
        let said = "Starting: Intent { cmp=com.example.login/.MainActivity }\nStatus: ok\nComplete";
        let kind = FaultKind::ErrorText { text: said.to_owned(), stderr: false, status: 0 };
        bench.phone().fault(Fault::once("am start", kind));
        let arguments = json!({ "appId": APP, "verificationTimeoutMs": 2_000 });
        let answer = bench.call("restart_app", arguments).await.fine();
        assert_eq!(answer.code(), "VERIFICATION_FAILED", "{:#}", answer.structured);
        assert_eq!(answer["/verification/status"], "failed");
        assert_eq!(answer["/details/observed_app/matchedTarget"], false);
    }

    async fn an_app_is_ended(flavor) {
        let bench = Bench::new("login", flavor).await;
        let mark = bench.mark();
        let answer = bench.call("terminate_app", json!({ "appId": APP })).await.succeeded();
        assert_eq!(acts(&mark), ["am force-stop --user 0 com.example.login"]);
        assert_eq!(bench.phone().screen_name(), "launcher");
        assert!(mark.dumps().is_empty(), "nothing is read");
        assert_eq!(
            (&answer["appTerminated"], &answer["delivery_status"], &answer["dispatch_started"], &answer["/device/id"]),
            (&json!(true), &json!("delivered"), &json!(true), &json!(bench.device))
        );
    }

    async fn an_app_that_is_not_there_is_not_ended_and_nothing_is_sent(flavor) {
        let bench = Bench::new("login", flavor).await;
        for (tool, done, arguments) in [
            ("terminate_app", "appTerminated", json!({})),
            ("reset_app_data", "dataCleared", json!({})),
            ("grant_permission", "permissionGranted", json!({ "permission": CAMERA })),
            ("revoke_permission", "permissionRevoked", json!({ "permission": CAMERA })),
        ] {
            let mut arguments = arguments;
            arguments["appId"] = json!("com.example.logins");
            let mark = bench.mark();
            let answer = bench.call(tool, arguments).await.fine();
            assert_eq!((answer.code(), &answer[done]), ("ACTION_REJECTED", &json!(false)), "{:#}", answer.structured);
            assert_eq!(
                (&answer["dispatch_started"], &answer["delivery_status"], &answer["/error/candidates/0"]),
                (&json!(false), &json!("not_delivered"), &json!(APP)),
                "{tool}"
            );
            assert_eq!(acts(&mark), Vec::<String>::new());
        }
    }

    async fn an_apps_data_is_cleared_by_androids_own_word(flavor) {
        let bench = Bench::new("login", flavor).await;
        bench.phone().set_text("login.username", "left over");
        let answer = bench.call("reset_app_data", json!({ "appId": APP })).await.succeeded();
        assert_eq!((&answer["dataCleared"], &answer["output"]), (&json!(true), &json!("Success")));
        assert_eq!(bench.phone().screen_name(), "launcher");
        // Status 0 without it is none.
        let failed = FaultKind::ErrorText { text: "Failed".to_owned(), stderr: false, status: 0 };
        bench.phone().fault(Fault::once("pm clear", failed));
        let answer = bench.call("reset_app_data", json!({ "appId": APP })).await.fine();
        assert_eq!(
            (answer.code(), &answer["dataCleared"], &answer["delivery_status"]),
            ("ACTION_REJECTED", &json!(false), &json!("unknown"))
        );
    }

    async fn a_permission_is_granted_and_taken_back(flavor) {
        let bench = Bench::new("login", flavor).await;
        let arguments = json!({ "appId": APP, "permission": CAMERA });
        bench.call("grant_permission", arguments.clone()).await.succeeded();
        assert!(bench.phone().granted(0, APP, CAMERA));
        let mark = bench.mark();
        let answer = bench.call("revoke_permission", arguments).await.succeeded();
        assert!(!bench.phone().granted(0, APP, CAMERA));
        assert_eq!(answer["permissionRevoked"], true);
        assert_eq!(acts(&mark), ["pm revoke com.example.login android.permission.CAMERA"]);
    }

    async fn a_permission_that_cannot_be_granted_says_why_and_what_to_do(flavor) {
        let bench = Bench::new("login", flavor).await;
        for (name, words, remedy) in [
            ("INTERNET", "not a changeable permission type", "Only runtime"),
            ("READ_CONTACTS", "has not requested permission", "uses-permission"),
            ("NO_SUCH_THING", "Unknown permission", "full name"),
        ] {
            let arguments = json!({ "appId": APP, "permission": format!("android.permission.{name}") });
            let answer = bench.call("grant_permission", arguments).await.fine();
            assert_eq!((answer.code(), &answer["delivery_status"]), ("ACTION_REJECTED", &json!("not_delivered")));
            assert!(answer["/error/message"].as_str().unwrap().contains(words), "{:#}", answer.structured);
            assert!(answer["/error/remedy"].as_str().unwrap().contains(remedy), "{:#}", answer.structured);
        }
    }

    async fn the_user_in_front_is_meant_unless_another_is_named(flavor) {
        let bench = Bench::new("login", flavor).await;
        bench.phone().add_user(10, "a:b", true);
        bench.phone().add_user(150, "Secure Folder", false);
        for (user, id) in [(None, 10), (Some(0), 0), (Some(150), 150)] {
            let mut arguments = json!({ "appId": APP, "permission": CAMERA });
            if let Some(user) = user {
                arguments["user"] = json!(user);
            }
            bench.call("grant_permission", arguments.clone()).await.succeeded();
            assert!(bench.phone().granted(id, APP, CAMERA), "{id}");
            arguments.as_object_mut().unwrap().remove("permission");
            let mark = bench.mark();
            let answer = bench.call("terminate_app", arguments.clone()).await.succeeded();
            assert_eq!(answer["/diagnostics/user"], id);
            arguments["verificationMode"] = json!("none");
            bench.call("start_app", arguments).await.succeeded();
            let wanted = [format!("am force-stop --user {id} "), format!("am start -W --user {id} ")];
            let found = acts(&mark);
            assert!(found.len() == 2 && found.iter().zip(&wanted).all(|(line, start)| line.starts_with(start)), "{found:?}");
        }
    }

    async fn a_user_the_device_does_not_have_is_refused_with_those_it_has(flavor) {
        let bench = Bench::new("login", flavor).await;
        bench.phone().add_user(10, "Work", false);
        for tool in ["terminate_app", "reset_app_data"] {
            let mark = bench.mark();
            let answer = bench.call(tool, json!({ "appId": APP, "user": 11 })).await;
            let answer = answer.refused("INVALID_ARGUMENT", Some("user"));
            assert_eq!(answer["/error/candidates/1/user"], 10, "{:#}", answer.structured);
            assert_eq!(acts(&mark), Vec::<String>::new());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vendors_missing_switch_is_named() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    let text =
        "Error: java.lang.SecurityException: PID 123 does not have permission android.permission.CLEAR_APP_USER_DATA";
    let kind = FaultKind::ErrorText { text: text.to_owned(), stderr: true, status: 255 };
    bench.phone().fault(Fault::once("pm clear", kind));
    let answer = bench.call("reset_app_data", json!({ "appId": APP })).await.fine();
    assert!(answer["/error/remedy"].as_str().unwrap().contains("USB debugging (Security settings)"));
    assert_eq!(answer["delivery_status"], "not_delivered");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_takes_no_controls_refuses_them() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    let mut wrong: Vec<(&str, Value, &str)> = Vec::new();
    for tool in ["terminate_app", "reset_app_data"] {
        wrong.push((tool, json!({ "appId": APP, "verificationMode": "none" }), "verificationMode"));
        wrong.push((tool, json!({ "appId": APP, "actionTimeoutMs": 500 }), "actionTimeoutMs"));
        wrong.push((tool, json!({ "appId": APP, "user": -1 }), "user"));
        wrong.push((tool, json!({ "appId": "com.example.login/.Main" }), "appId"));
        wrong.push((tool, json!({ "appId": "com.example;reboot" }), "appId"));
    }
    wrong.push(("grant_permission", json!({ "appId": APP }), "permission"));
    wrong.push(("grant_permission", json!({ "appId": APP, "permission": "CAMERA" }), "permission"));
    wrong.push(("revoke_permission", json!({ "appId": APP, "permission": "a.b; input tap 1 1" }), "permission"));
    for (tool, arguments, member) in wrong {
        let mark = bench.mark();
        bench.call(tool, arguments).await.refused("INVALID_ARGUMENT", Some(member));
        assert_eq!(acts(&mark), Vec::<String>::new());
    }
}
