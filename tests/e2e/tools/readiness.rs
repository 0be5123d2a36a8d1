//! Is the app ready? On how many samples, how far apart, and what they show.

use serde_json::{Value, json};
use simphone::{Fault, FaultKind};

use crate::support::{Answer, Bench, on_each_adb};

async fn sign_in(bench: &Bench) {
    bench
        .call("tap_element", json!({ "selector": { "resource_id": "sign_in" }, "verificationMode": "none" }))
        .await
        .succeeded();
}

fn limitations(answer: &Answer) -> Vec<&str> {
    answer["/readiness/limitations"].as_array().unwrap().iter().map(|limitation| limitation.as_str().unwrap()).collect()
}

on_each_adb! {
    async fn a_loader_is_seen_with_its_evidence_and_then_settles(flavor) {
        let bench = Bench::new("login", flavor).await;
        sign_in(&bench).await;
        let loading = bench.call("get_readiness", json!({ "stabilityMs": 100 })).await.fine();
        let shown = format!("{:#}", loading.structured);
        assert_eq!(loading["/readiness/state"], "loading", "{shown}");
        let evidence = loading["/readiness/evidence"].as_array().unwrap();
        let firm = evidence.iter().find(|note| note["heuristic"] == false).expect(&shown);
        assert!(firm["signal"].as_str().unwrap().starts_with("progress"), "{shown}");
        assert!(firm["element"]["type"].as_str().unwrap().contains("ProgressBar"), "{shown}");

        let settled = bench.call("wait_for_readiness", json!({})).await.succeeded();
        assert_eq!(settled["/readiness/state"], "settled", "{:#}", settled.structured);
        assert!(settled["/readiness/stable_for_ms"].as_f64().unwrap() >= 300.0, "{:#}", settled.structured);
        assert_eq!(bench.phone().screen_name(), "welcome");
    }

    async fn settled_takes_two_reads_the_stability_window_apart(flavor) {
        let bench = Bench::new("settings", flavor).await;
        for stability in [100, 300, 700] {
            let mark = bench.mark();
            let answer = bench.call("get_readiness", json!({ "stabilityMs": stability })).await.fine();
            let dumps = mark.dumps();
            assert_eq!((dumps.len(), &answer["/readiness/samples"]), (2, &json!(2)));
            assert_eq!(answer["/readiness/state"], "settled", "{:#}", answer.structured);
            assert!(answer["/readiness/stable_for_ms"].as_f64().unwrap() >= f64::from(stability));
            assert!(dumps[1].start_ms - dumps[0].end_ms.unwrap() >= f64::from(stability) - 5.0, "{dumps:#?}");
        }
    }

    async fn one_sample_can_never_say_settled(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let mark = bench.mark();
        let answer = bench.call("get_readiness", json!({ "samples": 1 })).await.fine();
        assert_eq!(mark.dumps().len(), 1);
        assert_eq!(
            (&answer["/readiness/state"], limitations(&answer)),
            (&json!("unknown"), vec!["one_sample"]),
            "{:#}",
            answer.structured
        );
    }

    async fn a_second_sample_that_fails_is_not_made_up_for(flavor) {
        let bench = Bench::new("settings", flavor).await;
        bench.phone().fault(Fault { skip: 1, ..Fault::forever("dump", FaultKind::Garbage { bytes: 40 }) });
        let mark = bench.mark();
        let answer = bench.call("get_readiness", json!({})).await.fine();
        assert_eq!(
            (&answer["/readiness/state"], &answer["/readiness/samples"]),
            (&json!("unknown"), &json!(1)),
            "{:#}",
            answer.structured
        );
        assert!(mark.dumps().len() <= 4, "{:#?}", mark.dumps());
    }

    async fn a_tree_tells_of_its_loader_at_no_cost(flavor) {
        let bench = Bench::new("login", flavor).await;
        sign_in(&bench).await;
        let mark = bench.mark();
        let tree = bench.call("get_ui_tree", json!({})).await.fine();
        assert_eq!(mark.dumps().len(), 1);
        assert_eq!(
            (&tree["/loading_state/active"], &tree["/loading_state/signal"]),
            (&json!(true), &json!("progress_indicator")),
            "{:#}",
            tree["loading_state"]
        );
        assert_eq!(tree["/readiness/state"], "loading");
    }

    async fn what_changes_by_itself_is_transitioning(flavor) {
        let bench = Bench::new("ticker", flavor).await;
        let answer = bench.call("get_readiness", json!({ "stabilityMs": 900 })).await.fine();
        assert_eq!(answer["/readiness/state"], "transitioning", "{:#}", answer.structured);
    }

    async fn a_deadline_is_unknown_never_unresponsive(flavor) {
        let bench = Bench::new("ticker", flavor).await;
        let answer = bench.call("wait_for_readiness", json!({ "stabilityMs": 900, "timeoutMs": 1500 })).await.fine();
        assert_eq!(
            (&answer["success"], &answer["/readiness/state"]),
            (&json!(false), &json!("unknown")),
            "{:#}",
            answer.structured
        );
        assert!(limitations(&answer).contains(&"deadline"), "{:#}", answer.structured);
        assert_eq!(answer["failure_code"], "TIMEOUT");
    }

    async fn an_anr_window_is_unresponsive(flavor) {
        let bench = Bench::new("settings", flavor).await;
        bench.phone().fault(Fault::now(FaultKind::AnrDialog));
        let answer = bench.call("get_readiness", json!({ "samples": 1 })).await.fine();
        assert_eq!(answer["/readiness/state"], "unresponsive", "{:#}", answer.structured);
    }

    async fn what_the_system_records_is_asked_for_only_where_asked(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let probed = |bench: &Bench| bench.phone().journal().commands().iter().any(|command| command.argv.iter().any(|word| word == "processes"));
        let answer = bench.call("get_readiness", json!({})).await.fine();
        assert!(!probed(&bench), "two reads and no question");
        assert_eq!(answer["/readiness/unsupported"], json!(["debugger_paused", "unresponsive"]), "{:#}", answer.structured);

        let answer = bench.call("get_readiness", json!({ "probes": true })).await.fine();
        assert!(probed(&bench));
        assert_eq!(answer["/readiness/state"], "settled", "{:#}", answer.structured);
        assert_eq!(answer["/readiness/unsupported"], json!([]), "{:#}", answer.structured);

        bench.phone().fault(Fault::now(FaultKind::Debugger));
        let answer = bench.call("get_readiness", json!({})).await.fine();
        assert_eq!(answer["/readiness/state"], "settled", "nobody asked: {:#}", answer.structured);
        for (tool, arguments) in [
            ("get_readiness", json!({ "probes": true, "samples": 1 })),
            ("wait_for_readiness", json!({ "probes": true, "state": "debugger_paused" })),
        ] {
            let answer = bench.call(tool, arguments).await.fine();
            let shown = format!("{tool}: {:#}", answer.structured);
            assert_eq!(answer["/readiness/state"], "debugger_paused", "{shown}");
            let evidence = answer["/readiness/evidence"].as_array().unwrap();
            let firm = evidence.iter().find(|one| one["signal"] == "debugger").expect("evidence");
            assert_eq!(firm["heuristic"], false, "{shown}");
            assert!(firm["detail"].as_str().unwrap().contains("traced by 4100"), "{shown}");
        }
        // It outranks an app that does not respond, which is why that one does not.
        bench.phone().fault(Fault::now(FaultKind::AnrDialog));
        let answer = bench.call("get_readiness", json!({ "probes": true, "samples": 1 })).await.fine();
        assert_eq!(answer["/readiness/state"], "debugger_paused", "{:#}", answer.structured);
        let signals = answer["/readiness/evidence"].to_string();
        assert!(signals.contains("anr-record") && signals.contains("anr-window"), "{signals}");
    }

    async fn a_probe_that_fails_is_a_limitation_and_no_verdict(flavor) {
        let bench = Bench::new("settings", flavor).await;
        bench.phone().fault(Fault::forever("dumpsys activity processes", FaultKind::Hang));
        let answer = bench.call("get_readiness", json!({ "probes": true })).await.fine();
        let shown = format!("{:#}", answer.structured);
        assert_eq!(answer["/readiness/state"], "settled", "{shown}");
        assert_eq!(answer["/readiness/unsupported"], json!(["unresponsive"]), "{shown}");
        assert!(answer["/readiness/limitations"].to_string().contains("anr_probe"), "{shown}");
    }

    async fn a_screen_that_never_rests_is_not_idle(flavor) {
        let bench = Bench::new("never-idle", flavor).await;
        for (tool, arguments) in [
            ("get_ui_tree", json!({})),
            ("get_ui_tree", json!({ "responseMode": "compact" })),
            ("get_readiness", json!({})),
        ] {
            let answer = bench.call(tool, arguments).await.refused("NOT_IDLE", None);
            assert!(answer.elapsed < std::time::Duration::from_secs(10), "{tool} went on for {:?}", answer.elapsed);
        }
        // Where the pause button is, is known all the same: a point needs no tree.
        bench.call("tap", json!({ "x": 540, "y": 1070, "verificationMode": "none" })).await.succeeded();
        assert_eq!(bench.phone().screen_name(), "paused");
        bench.call("get_ui_tree", json!({})).await.fine();
    }

    async fn a_wait_can_ask_for_both_the_element_and_a_settled_screen(flavor) {
        let bench = Bench::new("login", flavor).await;
        sign_in(&bench).await;
        let arguments =
            json!({ "selector": { "text": "Welcome", "contains": true }, "readiness": true, "poll_interval_ms": 100 });
        let answer = bench.call("wait_for_ui", arguments).await.succeeded();
        assert_eq!(answer["/readiness/state"], "settled", "{:#}", answer.structured);

        let mark = bench.mark();
        let plain =
            bench.call("wait_for_ui", json!({ "selector": { "text": "Welcome", "contains": true } })).await.succeeded();
        assert_eq!((mark.dumps().len(), &plain["readiness"]), (2, &Value::Null), "defaults are unchanged");
    }

    async fn an_element_on_a_restless_screen_does_not_pass_with_readiness(flavor) {
        let bench = Bench::new("ticker", flavor).await;
        bench.call("wait_for_ui", json!({ "selector": { "text": "Live prices" } })).await.succeeded();
        let arguments =
            json!({ "selector": { "text": "Tick", "contains": true }, "readiness": true, "timeout_ms": 300 });
        let answer = bench.call("wait_for_ui", arguments).await.fine();
        assert_eq!(
            (&answer["success"], &answer["status"]),
            (&json!(false), &json!("timeout")),
            "{:#}",
            answer.structured
        );
    }
}
