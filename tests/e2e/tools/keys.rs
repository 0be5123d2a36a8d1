//! Keys, and the keyboard that one of them takes away.

use serde_json::json;
use simphone::{Change, Mutation};

use crate::support::{Bench, Flavor, on_each_adb};

on_each_adb! {
    async fn the_keyboard_is_hidden_once_and_back_is_never_pressed_without_one(flavor) {
        let bench = Bench::new("dialogs", flavor).await;
        for verification in ["none", "light", "full"] {
            let call = json!({ "verificationMode": verification });
            bench.call("tap_element", json!({ "selector": { "resource_id": "note" }, "verificationMode": "none" })).await.succeeded();
            let mark = bench.mark();
            let answer = bench.call("hide_keyboard", call.clone()).await.succeeded();
            assert_eq!(mark.one_input("keyevent", verification).args, ["BACK"]);
            assert_eq!((&answer["dispatch_started"], &answer["delivery_status"]), (&json!(true), &json!("delivered")));
            let gone = if verification == "none" { json!(null) } else { json!(false) };
            assert_eq!(answer["/details/keyboard_shown"], gone, "{:#}", answer["details"]);
            let mark = bench.mark();
            let answer = bench.call("hide_keyboard", call).await.succeeded();
            mark.no_input("no keyboard is shown");
            assert_eq!((&answer["dispatch_started"], &answer["delivery_status"]), (&json!(false), &json!("not_delivered")));
            assert!(answer["/details/note"].as_str().unwrap().contains("nothing was sent"), "{:#}", answer["details"]);
            assert_eq!(bench.phone().screen_name(), "main", "the screen is still there");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_keyboard_that_goes_by_itself_takes_no_back_with_it() {
    let bench = Bench::new("dialogs", Flavor::best()).await;
    bench
        .call("tap_element", json!({ "selector": { "resource_id": "note" }, "verificationMode": "none" }))
        .await
        .succeeded();
    let tree = bench.call("get_ui_tree", json!({ "responseMode": "compact" })).await.fine();
    // Between the question whether it is shown and the line that sends the key lies the guard's read.
    bench.phone().on_dump(1, Mutation::after(Change::Keyboard(false)));
    let mut call = bench.aimed(json!({ "verificationMode": "none" }));
    call["expectedState"] =
        json!({ "snapshotSessionId": tree["snapshot_session_id"], "snapshotRevision": tree["snapshot_revision"] });
    let mark = bench.mark();
    let answer = bench.call("hide_keyboard", call).await.succeeded();
    assert!(mark.inputs().is_empty(), "{:#?}", mark.inputs());
    assert_eq!(answer["delivery_status"], "not_delivered", "{:#}", answer.structured);
    assert!(answer["/details/note"].as_str().unwrap().contains("gone by then"), "{:#}", answer["details"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_is_pressed_by_its_name_or_its_number() {
    let bench = Bench::new("dialogs", Flavor::StandIn).await;
    for (key, pressed) in [
        ("enter", "ENTER"),
        ("Recents", "APP_SWITCH"),
        ("KEYCODE_DPAD_UP", "DPAD_UP"),
        ("delete", "DEL"),
        ("volume-up", "VOLUME_UP"),
        ("61", "TAB"),
        ("KEYCODE_MEDIA_PLAY_PAUSE", "85"),
        ("wakeup", "WAKEUP"),
    ] {
        let mark = bench.mark();
        bench.call("press_key", json!({ "key": key, "verificationMode": "none" })).await.succeeded();
        assert_eq!(mark.one_input("keyevent", key).args, [pressed], "{key}");
    }
    let mark = bench.mark();
    for (key, meant) in
        [("entr", Some("enter")), ("KEYCODE_BAK", Some("back")), ("338", None), ("4;reboot", None), ("0", None)]
    {
        let answer = bench.call("press_key", json!({ "key": key })).await.refused("INVALID_ARGUMENT", Some("key"));
        if let Some(meant) = meant {
            let candidates = answer["/error/candidates"].as_array().unwrap();
            assert!(candidates.contains(&json!(meant)), "{key}: {candidates:?}");
        }
    }
    assert!(mark.commands().is_empty(), "refused before any device work");
}
