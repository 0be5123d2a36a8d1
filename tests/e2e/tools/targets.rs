//! Which element is meant, and what cannot be tapped.

use serde_json::json;
use simphone::{Change, Mutation};

use crate::support::{Bench, on_each_adb};

on_each_adb! {
    async fn several_matches_are_shown_and_nothing_is_tapped(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let mark = bench.mark();
        let answer = bench.call("tap_element", json!({ "selector": { "resource_id": "option_title" } })).await.fine();
        mark.no_input("ambiguous");
        assert_eq!(answer["failure_code"], "AMBIGUOUS_TARGET", "{:#}", answer.structured);
        let candidates = answer["/error/candidates"].as_array().unwrap();
        assert!((2..=5).contains(&candidates.len()), "{candidates:#?}");
        assert!(candidates.iter().all(|one| one["text"].as_str().unwrap().starts_with("Option ")), "{candidates:#?}");
    }

    async fn an_index_chooses_among_them(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let arguments = json!({ "selector": { "resource_id": "option_title" }, "waitFor": { "match": { "index": 1 } }, "verificationMode": "none" });
        let mark = bench.mark();
        bench.call("tap_element", arguments).await.succeeded();
        mark.one_input("tap", "the second");
        assert_eq!((bench.phone().checked("option1"), bench.phone().checked("option2")), (Some(false), Some(true)));
    }

    async fn a_label_stands_for_the_row_it_lies_in(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let answer = bench
            .call("tap_element", json!({ "selector": { "text": "Airplane mode" }, "verificationMode": "none" }))
            .await;
        let answer = answer.succeeded();
        assert_eq!(bench.phone().checked("airplane"), Some(true));
        assert_eq!(
            answer["/target/resolved/matched/text"], "Airplane mode",
            "both are reported: {:#}",
            answer["target"]
        );
    }

    async fn what_takes_no_tap_is_not_tapped(flavor) {
        let bench = Bench::new("settings", flavor).await;
        for (what, selector) in [
            ("a heading", json!({ "resource_id": "title" })),
            ("a disabled button", json!({ "resource_id": "theme_system" })),
        ] {
            for verification in ["none", "light", "full"] {
                let mark = bench.mark();
                let answer = bench
                    .call("tap_element", json!({ "selector": selector, "verificationMode": verification }))
                    .await
                    .fine();
                mark.no_input(what);
                assert_eq!(answer["failure_code"], "ELEMENT_NOT_INTERACTABLE", "{what}: {:#}", answer.structured);
                assert_eq!((&answer["success"], &answer["dispatch_started"]), (&json!(false), &json!(false)), "{what}");
                assert_eq!(mark.dumps().len(), 1, "{what}: one read decides");
            }
        }
    }

    async fn what_is_not_there_is_not_found_by_one_read(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let mark = bench.mark();
        let answer = bench.call("tap_element", json!({ "selector": { "text": "No such row" } })).await.fine();
        assert_eq!(answer["failure_code"], "ELEMENT_NOT_FOUND");
        assert_eq!(mark.dumps().len(), 1);
    }

    async fn a_point_outside_the_display_is_refused(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let points = [
            ("tap", json!({ "x": 1080, "y": 10 }), "x"),
            ("tap", json!({ "x": 10, "y": 2400 }), "y"),
            ("swipe", json!({ "x1": 10, "y1": 10, "x2": 10, "y2": 99_999 }), "y2"),
            ("swipe", json!({ "x1": 2_000, "y1": 10, "x2": 10, "y2": 10 }), "x1"),
        ];
        for (tool, arguments, member) in points {
            for verification in ["none", "light", "full"] {
                let mut arguments = arguments.clone();
                arguments["verificationMode"] = json!(verification);
                let mark = bench.mark();
                let answer = bench.call(tool, arguments.clone()).await;
                let case = format!("{tool} {arguments}: {:#}", answer.structured);
                mark.no_input(&case);
                assert_eq!(answer.code(), "INVALID_ARGUMENT", "{case}");
                assert_eq!(answer["/error/member"], member, "{case}");
            }
        }
    }

    async fn a_negative_point_is_refused_before_any_device_work(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let mark = bench.mark();
        bench.call("tap", json!({ "x": -1, "y": 10 })).await.refused("INVALID_ARGUMENT", Some("x"));
        assert!(mark.commands().is_empty());
    }

    async fn wait_for_waits_before_the_target_is_resolved(flavor) {
        let bench = Bench::new("login", flavor).await;
        bench.phone().set(&Change::Visible("login.sign_in".to_owned(), false));
        bench.phone().on_dump(3, Mutation::before(Change::Visible("login.sign_in".to_owned(), true)));
        let arguments = json!({ "selector": { "resource_id": "sign_in" }, "waitFor": { "pollIntervalMs": 50 }, "verificationMode": "none" });
        let mark = bench.mark();
        bench.call("tap_element", arguments).await.succeeded();
        mark.one_input("tap", "waited for");
        assert_eq!(mark.dumps().len(), 4, "two without it, the one that sees it, the one that resolves it");
    }

    async fn wait_for_in_vain_says_so_and_taps_nothing(flavor) {
        let bench = Bench::new("settings", flavor).await;
        for (condition, selector, code) in [
            ("exists", json!({ "text": "No such row" }), "ELEMENT_NOT_FOUND"),
            ("clickable", json!({ "resource_id": "theme_system" }), "ELEMENT_NOT_INTERACTABLE"),
        ] {
            let mark = bench.mark();
            let arguments = json!({ "selector": selector, "waitFor": { "condition": condition, "timeoutMs": 2_500 } });
            let answer = bench.call("tap_element", arguments).await.fine();
            mark.no_input(condition);
            assert_eq!(answer["failure_code"], code, "{condition}: {:#}", answer.structured);
            assert!(mark.dumps().len() >= 2, "{condition}: {}", mark.dumps().len());
        }
    }

    async fn ids_match_in_full_bare_and_with_their_package(flavor) {
        let bench = Bench::new("counter", flavor).await;
        for id in ["increment", "com.example.counter:id/increment"] {
            let mark = bench.mark();
            bench
                .call("tap_element", json!({ "selector": { "resource_id": id }, "verificationMode": "none" }))
                .await
                .succeeded();
            assert_eq!(mark.one_input("tap", id).element.as_deref(), Some("increment"));
        }
    }
}
