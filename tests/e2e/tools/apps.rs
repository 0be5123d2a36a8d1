//! Devices and apps.

use serde_json::json;

use crate::support::{Bench, Setup, on_each_adb};

on_each_adb! {
    async fn an_app_is_started_and_seen_in_front(flavor) {
        let bench = Bench::new("login", flavor).await;
        bench.call("press_back", json!({ "verificationMode": "none" })).await.succeeded();
        assert_eq!(bench.phone().screen_name(), "launcher");
        let answer = bench.call("start_app", json!({ "appId": "com.example.login" })).await.succeeded();
        assert_eq!(bench.phone().screen_name(), "login");
        assert_eq!(answer["/details/observed_app/matchedTarget"], true, "{:#}", answer["details"]);
        assert_eq!(answer["/details/device_id"], bench.device);
        assert_eq!(answer["/verification/status"], "verified");
    }

    async fn a_missing_app_is_rejected(flavor) {
        let bench = Bench::new("login", flavor).await;
        for verification in ["none", "light", "full"] {
            let answer = bench
                .call("start_app", json!({ "appId": "com.example.missing", "verificationMode": verification }))
                .await
                .fine();
            assert_eq!(
                (&answer["success"], &answer["failure_code"]),
                (&json!(false), &json!("ACTION_REJECTED")),
                "{:#}",
                answer.structured
            );
            assert_eq!(bench.phone().screen_name(), "login", "{verification}");
        }
    }

    async fn every_attached_device_is_listed(flavor) {
        let bench = Setup::new("login", flavor).and(Setup::showing("counter")).start().await;
        let answer = bench.call("list_devices", json!({ "appId": "com.example.login" })).await.fine();
        let devices = answer["devices"].as_array().unwrap();
        assert_eq!(devices.len(), 2, "{devices:#?}");
        for device in devices {
            for member in ["id", "platform", "osVersion", "model", "simulator", "appInstalled", "state"] {
                assert!(device.get(member).is_some(), "{member} in {device:#}");
            }
        }
        let ours = devices.iter().find(|device| device["id"] == bench.device.as_str()).unwrap();
        assert_eq!((&ours["appInstalled"], &ours["platform"]), (&json!(true), &json!("android")));
    }

    async fn with_several_devices_one_must_be_named(flavor) {
        let bench = Setup::new("login", flavor).and(Setup::showing("counter")).start().await;
        for (tool, arguments) in [
            ("get_ui_tree", json!({})),
            ("tap", json!({ "x": 1, "y": 1 })),
            ("wait_for_ui", json!({ "selector": { "text": "a" } })),
        ] {
            let answer = bench.call(tool, arguments).await.refused("AMBIGUOUS_DEVICE", None);
            assert!(answer["/error/candidates"].to_string().contains(&bench.device), "{:#}", answer.structured);
        }
    }

    async fn a_device_that_is_not_there_is_not_found(flavor) {
        let bench = Bench::new("login", flavor).await;
        let answer =
            bench.call("get_ui_tree", json!({ "deviceId": "emulator-9999" })).await.refused("DEVICE_NOT_FOUND", None);
        assert!(
            answer.structured.to_string().contains(&bench.device),
            "what is attached is named: {:#}",
            answer.structured
        );
    }

    async fn a_platform_without_an_adapter_is_unsupported(flavor) {
        let bench = Bench::new("login", flavor).await;
        bench.call("get_ui_tree", json!({ "platform": "ios" })).await.refused("UNSUPPORTED", None);
    }

    async fn the_screen_in_front_is_named_without_a_dump(flavor) {
        let bench = Bench::new("login", flavor).await;
        let mark = bench.mark();
        let answer = bench.call("get_current_screen", json!({})).await.fine();
        assert_eq!(
            (&answer["package"], &answer["shortActivity"]),
            (&json!("com.example.login"), &json!("MainActivity")),
            "{:#}",
            answer.structured
        );
        assert!(mark.dumps().is_empty());
    }

    async fn the_system_says_whether_it_is_ready(flavor) {
        let bench = Bench::new("login", flavor).await;
        let answer = bench.call("get_system_status", json!({})).await.fine();
        assert_eq!(
            (&answer["success"], &answer["adbAvailable"], &answer["status"]),
            (&json!(true), &json!(true), &json!("ready")),
            "{:#}",
            answer.structured
        );
    }
}
