//! `elementId`: handed out by one answer, taken by the next, refused when it no longer names what it named.

use serde_json::{Value, json};

use crate::support::{Bench, Mark, Setup, on_each_adb};

async fn handle(bench: &Bench, selector: Value) -> Value {
    let found = bench.call("wait_for_ui", bench.aimed(json!({ "selector": selector }))).await.succeeded();
    let id = found["/element/elementId"].clone();
    assert!(id.is_string(), "{:#}", found.structured);
    id
}

on_each_adb! {
    async fn what_a_wait_found_can_be_tapped(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let id = handle(&bench, json!({ "text": "Increment" })).await;
        for verification in ["none", "light", "full"] {
            let mark = bench.mark();
            let answer = bench
                .call("tap_element", json!({ "elementId": id, "verificationMode": verification }))
                .await
                .succeeded();
            assert_eq!(mark.one_input("tap", verification).element.as_deref(), Some("increment"));
            assert_eq!(answer["/target/resolved/text"], "Increment");
            // One read revalidates it in every mode, and is the only one before the input.
            let input = mark.inputs()[0].start_ms;
            assert_eq!(mark.dumps().iter().filter(|dump| dump.start_ms < input).count(), 1, "{verification}");
        }
    }

    async fn it_follows_its_node_when_that_moved(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let id = handle(&bench, json!({ "text": "Increment" })).await;
        bench.phone().set_bounds("increment", [64, 1500, 1016, 1640]);
        let mark = bench.mark();
        bench.call("tap_element", json!({ "elementId": id, "verificationMode": "none" })).await.succeeded();
        let input = mark.one_input("tap", "moved");
        assert_eq!((input.element.as_deref(), input.args[1].as_str()), (Some("increment"), "1570"), "{input:?}");
    }

    async fn it_is_stale_once_its_node_is_gone(flavor) {
        let bench = Bench::new("login", flavor).await;
        let id = handle(&bench, json!({ "resource_id": "sign_in" })).await;
        bench.phone().goto("welcome");
        for response in ["compact", "debug"] {
            let mark = bench.mark();
            let answer = bench.call("tap_element", json!({ "elementId": id, "responseMode": response })).await.fine();
            mark.no_input(response);
            assert_eq!(answer["failure_code"], "STALE_REFERENCE", "{:#}", answer.structured);
            assert_eq!((&answer["success"], &answer["delivery_status"]), (&json!(false), &json!("not_delivered")));
        }
        bench.phone().goto("login");
        bench.call("tap_element", json!({ "elementId": id })).await.succeeded();
    }

    async fn a_node_without_an_id_of_its_own_is_stale_when_its_text_changed(flavor) {
        let bench = Bench::new("login", flavor).await;
        bench.phone().goto("welcome");
        let id = handle(&bench, json!({ "text": "Item 3" })).await;
        bench.phone().set_text("welcome.row3_title", "Something else");
        let mark = bench.mark();
        let answer = bench.call("tap_element", json!({ "elementId": id, "verificationMode": "none" })).await.fine();
        mark.no_input("changed");
        assert_eq!(answer["failure_code"], "STALE_REFERENCE", "{:#}", answer.structured);
    }

    async fn it_belongs_to_its_device(flavor) {
        let bench = Setup::new("counter", flavor).and(Setup::showing("counter")).start().await;
        let id = handle(&bench, json!({ "text": "Increment" })).await;
        let other = Mark::now(&bench.phones[1]);
        let answer = bench
            .call("tap_element", json!({ "elementId": id, "deviceId": bench.phones[1].adb_addr().to_string() }))
            .await
            .fine();
        assert_eq!(answer["failure_code"], "STALE_REFERENCE", "{:#}", answer.structured);
        other.no_input("the other device");
    }

    async fn it_does_not_outlive_its_connection(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let id = handle(&bench, json!({ "text": "Increment" })).await;
        bench.replug().await;
        let mark = bench.mark();
        let answer = bench.call("tap_element", json!({ "elementId": id })).await.fine();
        assert_eq!(answer["failure_code"], "STALE_REFERENCE", "{:#}", answer.structured);
        mark.no_input("after a replug");
    }

    async fn what_is_no_handle_is_refused(flavor) {
        let bench = Bench::new("counter", flavor).await;
        for id in ["", "increment", "e1", "e1.2.3", "x3.1.0123456789abcdef", "e99999999999.1.0123456789abcdef"] {
            let mark = bench.mark();
            let answer = bench.call("tap_element", json!({ "elementId": id })).await;
            assert_eq!(answer.code(), "INVALID_ARGUMENT", "{id:?}: {:#}", answer.structured);
            assert_eq!(answer["/error/member"], "elementId", "{id:?}: {:#}", answer.structured);
            mark.no_input(id);
        }
    }
}
