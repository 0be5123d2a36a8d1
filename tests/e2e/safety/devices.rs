//! Which device is meant, and devices that cannot be used.

use serde_json::{Value, json};
use simphone::{Fault, FaultKind};

use super::{client, phone, stand_in};
use crate::support::{Bench, Client, Flavor, Setup, wait_until};

async fn devices(client: &Client) -> Vec<Value> {
    client.call("list_devices", json!({})).await.fine()["devices"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_device_is_said_with_what_to_do() {
    let client = client(&stand_in(""), &[]).await;
    assert!(devices(&client).await.is_empty());
    for (tool, arguments) in
        [("get_ui_tree", json!({})), ("tap", json!({ "x": 1, "y": 1 })), ("get_ui_tree", json!({ "deviceId": "a" }))]
    {
        let answer = client.call(tool, arguments).await.refused("DEVICE_NOT_FOUND", None);
        assert!(
            answer["/error/remedy"].as_str().is_some_and(|remedy| remedy.contains("ttach")),
            "{:#}",
            answer.structured
        );
    }
    let status = client.call("get_system_status", json!({})).await.fine();
    assert_eq!(
        (&status["success"], &status["adbAvailable"], &status["devices"]),
        (&json!(false), &json!(true), &json!(0))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_devices_one_has_to_be_named() {
    let bench = Setup::new("login", Flavor::StandIn).and(Setup::showing("counter")).start().await;
    let ids: Vec<String> = bench.phones.iter().map(|phone| phone.adb_addr().to_string()).collect();
    let mark = bench.mark();
    for (tool, arguments) in [
        ("get_ui_tree", json!({})),
        ("tap", json!({ "x": 540, "y": 1170 })),
        ("run_journey", json!({ "platform": "android", "steps": [{ "id": "a", "type": "press_back" }] })),
        ("wait_for_ui", json!({ "selector": { "text": "a" } })),
    ] {
        let answer = bench.call(tool, arguments).await.refused("AMBIGUOUS_DEVICE", None);
        let candidates = answer["/error/candidates"].to_string();
        assert!(ids.iter().all(|id| candidates.contains(id.as_str())), "{tool}: {candidates}");
        assert!(answer["/error/remedy"].as_str().unwrap().contains("deviceId"), "{:#}", answer.structured);
    }
    mark.no_input("an ambiguous device");
    for (id, package) in [(&ids[0], "com.example.login"), (&ids[1], "com.example.counter")] {
        let tree = bench.call("get_ui_tree", json!({ "deviceId": id })).await.fine();
        assert_eq!((&tree["package"], &tree["device"]["id"]), (&json!(package), &json!(id)));
    }
    let answer = bench.call("get_ui_tree", json!({ "deviceId": "neither" })).await.refused("DEVICE_NOT_FOUND", None);
    assert!(answer["/error"].to_string().contains(&ids[0]), "what is attached is listed: {:#}", answer.structured);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_environments_serial_decides_where_no_device_is_named() {
    let (one, two) = (phone().await, phone().await);
    two.goto("welcome");
    let adb = stand_in(&format!("{}=FIRST,{}=SECOND", one.adb_addr(), two.adb_addr()));
    let client = client(&adb, &[("ANDROID_SERIAL", "SECOND")]).await;
    assert_eq!(client.call("get_ui_tree", json!({})).await.fine()["/device/id"], "SECOND");
    assert_eq!(client.call("get_ui_tree", json!({ "deviceId": "FIRST" })).await.fine()["/device/id"], "FIRST");
    assert_eq!(devices(&client).await.len(), 2, "it narrows nothing else");
    client.call("press_back", json!({ "verificationMode": "none" })).await.succeeded();
    assert_eq!((one.journal().inputs().len(), two.journal().inputs().len()), (0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_serial_in_the_environment_that_is_not_attached_picks_no_other() {
    let one = phone().await;
    let client = client(&stand_in(&format!("{}=FIRST", one.adb_addr())), &[("ANDROID_SERIAL", "GONE")]).await;
    let answer = client.call("tap", json!({ "x": 540, "y": 1170 })).await.refused("DEVICE_NOT_FOUND", None);
    assert!(answer["/error"].to_string().contains("GONE"), "{:#}", answer.structured);
    assert!(one.journal().inputs().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn serials_hold_what_they_hold() {
    for serial in
        ["adb-R5CT-x (2)._adb-tls-connect._tcp", "192.168.1.5:5555", "my phone", "a;b$c`d'e\"f", "-s", "телефон"]
    {
        let one = phone().await;
        let client = client(&stand_in(&format!("{}={serial}", one.adb_addr())), &[]).await;
        assert_eq!(devices(&client).await[0]["id"], serial);
        let tree = client.call("get_ui_tree", json!({ "deviceId": serial })).await.fine();
        assert_eq!(tree["/device/id"], serial);
        let guard =
            json!({ "snapshotSessionId": tree["snapshot_session_id"], "snapshotRevision": tree["snapshot_revision"] });
        let tap = json!({ "x": 540, "y": 1170, "platform": "android", "deviceId": serial, "expectedState": guard, "verificationMode": "none" });
        client.call("tap", tap).await.succeeded();
        assert_eq!(one.journal().inputs().len(), 1, "{serial}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_cannot_be_used_is_listed_with_what_to_do() {
    for (fault, state, words) in
        [(FaultKind::Unauthorized, "unauthorized", "dialog"), (FaultKind::Offline { ms: None }, "offline", "connect")]
    {
        let bench = Setup::new("login", Flavor::StandIn).and(Setup::showing("counter")).start().await;
        bench.phone().fault(Fault::now(fault));
        let ghost = || async {
            let listed = devices(&bench.client).await;
            listed.into_iter().find(|device| device["id"] == bench.device.as_str())
        };
        let Some(shown) = ghost().await else { panic!("{state}: one ghost empties no list") };
        assert_eq!(shown["state"], state, "{shown:#}");
        assert!(shown["remedy"].as_str().is_some_and(|remedy| remedy.to_lowercase().contains(words)), "{shown:#}");
        // The other one is the only usable: no question which is meant.
        assert_eq!(bench.call("get_ui_tree", json!({})).await.fine()["package"], "com.example.counter");
        let answer =
            bench.call("get_ui_tree", json!({ "deviceId": bench.device })).await.refused("DEVICE_OFFLINE", None);
        assert!(answer["/error"].to_string().contains(state), "{:#}", answer.structured);
        let status = bench.call("get_system_status", json!({})).await.fine();
        assert_eq!((&status["status"], &status["devices"]), (&json!("degraded"), &json!(1)), "{:#}", status.structured);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_gone_in_the_middle_of_a_read_is_offline() {
    let setup = Setup::new("login", Flavor::StandIn).phone(|phone| phone.profile.dump_ms = (200, 200));
    let bench = setup.start().await;
    let before = bench.call("get_ui_tree", json!({})).await.fine();
    bench.phone().fault(Fault::forever("dump", FaultKind::GoneMidCommand { after_ms: 20 }));
    for (tool, arguments) in [("get_ui_tree", json!({})), ("get_readiness", json!({ "samples": 1 }))] {
        let answer = bench.call(tool, arguments).await;
        assert!(answer.is_error, "{tool}: {:#}", answer.structured);
        assert_eq!(answer.code(), "DEVICE_OFFLINE", "{tool}: {:#}", answer.structured);
    }
    let mark = bench.mark();
    let answer = bench.call("tap_element", json!({ "selector": { "text": "Sign in" } })).await;
    // Where the read before it was cut off too early to tell its pid, the lane waits for what may be left of it.
    assert!(["DEVICE_OFFLINE", "ACTION_TIMEOUT"].contains(&answer.code()), "{:#}", answer.structured);
    assert_eq!(answer["dispatch_started"], false, "{:#}", answer.structured);
    mark.no_input("a target that could not be read");
    bench.phone().clear_faults();
    wait_until("it is back", || bench.phone().journal().dumps().iter().all(|dump| dump.end_ms.is_some())).await;
    let after = bench.call("get_ui_tree", json!({})).await.fine();
    assert_eq!(before["snapshot_session_id"], after["snapshot_session_id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_gone_in_the_middle_of_an_input_is_never_sent_it_again() {
    let bench = Setup::new("login", Flavor::StandIn).phone(|phone| phone.profile.input_ms = 300).start().await;
    bench.phone().fault(Fault::once("input", FaultKind::GoneMidCommand { after_ms: 50 }));
    let mark = bench.mark();
    let answer = bench.call("tap", json!({ "x": 540, "y": 1170, "verificationMode": "none" })).await.fine();
    assert_eq!((&answer["success"], answer.code()), (&json!(false), "DEVICE_OFFLINE"), "{:#}", answer.structured);
    assert_eq!(
        (&answer["dispatch_started"], &answer["delivery_status"], &answer["retryable"]),
        (&json!(true), &json!("unknown"), &json!(false)),
        "{:#}",
        answer.structured
    );
    assert_eq!(mark.input_commands().len(), 1, "{:#?}", mark.input_commands());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_platform_without_an_adapter_is_unsupported() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    for (tool, arguments) in [
        ("list_devices", json!({ "platform": "ios" })),
        ("get_ui_tree", json!({ "platform": "ios" })),
        ("tap", json!({ "platform": "ios", "x": 1, "y": 1 })),
        ("run_journey", json!({ "platform": "ios", "steps": [{ "id": "a", "type": "press_back" }] })),
    ] {
        bench.call(tool, arguments).await.refused("UNSUPPORTED", None);
    }
    assert_eq!(bench.phone().journal().counters(), simphone::Counters::default());
}
