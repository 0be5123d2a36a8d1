//! Several at once: guards belong to their own request, and nobody of ours takes the device's one slot from another.

use serde_json::{Value, json};
use simphone::Profile;

use super::{expected, reset};
use crate::support::{Bench, Client, Setup, on_each_adb};

/// A dump that others would run into.
const BUSY: Profile = Profile { dump_ms: (80, 160), ..Profile::INSTANT };

on_each_adb! {
    async fn two_guarded_requests_at_once_are_never_mixed(flavor) {
        let bench = Bench::new("login", flavor).await;
        reset(&bench);
        let stale = expected(&bench).await;
        bench.phone().set_text("login.title", "Newer");
        let fresh = expected(&bench).await;
        // On the title, where a tap changes nothing: whichever goes first, one matches and the other does not.
        let tap = |state: &Value| {
            bench.aimed(json!({ "x": 540, "y": 350, "verificationMode": "none", "responseMode": "compact", "expectedState": state }))
        };
        for round in 0..10 {
            let mark = bench.mark();
            let (first, second) = if round % 2 == 0 { (&fresh, &stale) } else { (&stale, &fresh) };
            let one = bench.client.begin("tap", tap(first)).await;
            let two = bench.client.begin("tap", tap(second)).await;
            let (one, two) = (one.answer().await.fine(), two.answer().await.fine());
            for (answer, state) in [(&one, first), (&two, second)] {
                let matches = state == &fresh;
                let case = format!("round {round}: {:#}", answer.structured);
                assert_eq!(answer["success"], matches, "{case}");
                assert_eq!(answer["/condition/status"], if matches { "matched" } else { "mismatch" }, "{case}");
                assert_eq!(answer["/condition/expected/snapshot_revision"], state["snapshotRevision"], "{case}");
                assert_eq!(answer["/condition/observed/snapshot_revision"], fresh["snapshotRevision"], "{case}");
            }
            mark.one_input("tap", &format!("round {round}"));
            assert_eq!(mark.dumps().len(), 2, "round {round}: each its own read");
        }
    }

    async fn an_input_between_two_guards_is_seen_by_the_second(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let state = expected(&bench).await;
        let tap = |_: u32| {
            bench.aimed(
                json!({ "selector": { "text": "Increment" }, "verificationMode": "none", "expectedState": state }),
            )
        };
        let mark = bench.mark();
        // All four decide on the same screen; the first input changes it, so only one of them may go.
        let mut calls = Vec::new();
        for number in 0..4 {
            calls.push(bench.client.begin("tap_element", tap(number)).await);
        }
        let mut sent = 0;
        for call in calls {
            let answer = call.answer().await.fine();
            sent += u32::from(answer["success"] == true);
        }
        assert_eq!(sent, 1);
        mark.one_input("tap", "four at once");
        assert_eq!(bench.phone().text_of("value").as_deref(), Some("Count: 1"));
    }

    async fn four_requests_of_one_server_cause_no_busy_slot(flavor) {
        let bench = Setup::new("login", flavor).phone(|phone| phone.profile = BUSY).start().await;
        let mark = bench.mark();
        let mut calls = Vec::new();
        for _ in 0..4 {
            calls.push(bench.client.begin("get_ui_tree", json!({ "responseMode": "compact" })).await);
        }
        for call in calls {
            call.answer().await.fine();
        }
        mark.no_busy_slot("four requests");
        assert_eq!(mark.dumps().len(), 4, "no tree is shared across requests");
    }

    async fn four_servers_on_one_phone_cause_no_busy_slot(flavor) {
        let bench = Setup::new("login", flavor).phone(|phone| phone.profile = BUSY).start().await;
        let mut others = Vec::new();
        for _ in 0..3 {
            others.push(bench.another_client().await);
        }
        let mark = bench.mark();
        let all: Vec<&Client> = std::iter::once(&bench.client).chain(&others).collect();
        let rounds = all.iter().map(|client| async {
            for _ in 0..3 {
                client.call("get_ui_tree", json!({ "responseMode": "compact" })).await.fine();
            }
        });
        futures::future::join_all(rounds).await;
        mark.no_busy_slot("four servers");
        assert_eq!(mark.dumps().len(), 12, "each read once, none twice");
    }
}
