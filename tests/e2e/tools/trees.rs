//! get_ui_tree: whole, in part, as text, as what changed.

use serde_json::{Value, json};
use simphone::{Change, Fault, FaultKind};

use crate::support::{Answer, Bench, Setup, on_each_adb};

async fn compact(bench: &Bench, since: Option<&Value>) -> Answer {
    let mut arguments = json!({ "responseMode": "compact" });
    if let Some(since) = since {
        arguments["sinceSnapshotRevision"] = since.clone();
    }
    let answer = bench.call("get_ui_tree", arguments).await.fine();
    for member in ["snapshot_session_id", "captured_at_ms"] {
        assert!(answer.has(member), "{member} in {:#}", answer.structured);
    }
    assert!(!answer.has("elements"));
    answer
}

/// Two screens of so many rows each, none like another.
fn crowd(rows: u32) -> String {
    let screen = |name: &str, words: &str| {
        format!(
            "[[screen]]\nname = \"{name}\"\n[[screen.element]]\nid = \"row{{n}}\"\nclass = \"TextView\"\nrid = \"{name}_row{{n}}\"\n\
             text = \"{words} {{n}}\"\nflags = \"clickable\"\nbounds = [0, 100, 1080, 103]\nrepeat = {{ count = {rows}, step = 3 }}\n"
        )
    };
    format!(
        "[app]\npackage = \"com.example.crowd\"\nstart = \"one\"\n{}{}",
        screen("one", "Apple"),
        screen("two", "Pear")
    )
}

on_each_adb! {
    async fn a_whole_tree_has_what_the_contract_names(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let mark = bench.mark();
        let tree = bench.call("get_ui_tree", json!({})).await.fine();
        for member in [
            "device",
            "resolution",
            "elements",
            "snapshot_session_id",
            "snapshot_revision",
            "captured_at_ms",
            "loading_state",
            "readiness",
        ] {
            assert!(tree.has(member), "{member} in {:?}", tree.members());
        }
        assert_eq!(tree["resolution"], json!({ "width": 1080, "height": 2400 }));
        assert_eq!(tree["loading_state"], Value::Null);
        assert_eq!(mark.dumps().len(), 1, "readiness costs no further read");
    }

    async fn what_is_default_is_left_out(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let tree = bench.call("get_ui_tree", json!({})).await.fine();
        let elements = tree["elements"].as_array().unwrap();
        for element in elements {
            for (name, value) in element.as_object().unwrap() {
                let empty = value.is_null() || *value == json!("") || *value == json!([]) || *value == json!({});
                assert!(!empty, "{name} of {element}");
                assert!(name == "enabled" || *value != json!(false), "{name} of {element}");
                assert!(name != "enabled" || *value == json!(false), "absent enabled is true: {element}");
            }
        }
        let bytes = tree["elements"].to_string().len();
        assert!(bytes / elements.len() <= 350, "{} bytes an element", bytes / elements.len());
        let disabled = elements.iter().find(|element| element["text"] == "Follow the system").unwrap();
        assert_eq!(disabled["enabled"], false);
    }

    async fn parents_and_children_are_positions_in_elements(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let tree = bench.call("get_ui_tree", json!({})).await.fine();
        let elements = tree["elements"].as_array().unwrap();
        let mut seen = 0;
        for (at, element) in elements.iter().enumerate() {
            for child in element["children"].as_array().into_iter().flatten() {
                let child = usize::try_from(child.as_u64().unwrap()).unwrap();
                assert_eq!(elements[child]["parentId"], at, "{}", elements[child]);
                seen += 1;
            }
        }
        assert!(seen >= 5, "{seen} children");
    }

    async fn the_same_screen_keeps_its_revision_and_another_gets_a_new_one(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let (first, again) = (compact(&bench, None).await, compact(&bench, None).await);
        assert_eq!(first["snapshot_revision"], again["snapshot_revision"]);
        assert_eq!(first["snapshot_session_id"], again["snapshot_session_id"]);
        bench.phone().set_text("settings.title", "Other");
        let changed = compact(&bench, None).await;
        bench.phone().set_text("settings.title", "Settings");
        let back = compact(&bench, None).await;
        let revisions: Vec<_> =
            [&first, &changed, &back].map(|tree| tree["snapshot_revision"].as_u64().unwrap()).into();
        assert!(revisions.is_sorted_by(|a, b| a < b), "A, B, A: {revisions:?}");
    }

    async fn compact_without_a_base_says_there_is_no_delta(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let answer = compact(&bench, None).await;
        assert_eq!(answer["delta_available"], false);
        assert!(
            answer["snapshot_revision"].is_number() && !answer.has("reason") && !answer.has("state_delta"),
            "{:#}",
            answer.structured
        );
        let unknown = compact(&bench, Some(&json!(4_000_000))).await;
        assert_eq!(
            (&unknown["delta_available"], &unknown["reason"]),
            (&json!(false), &json!("BASE_REVISION_UNAVAILABLE"))
        );
    }

    async fn a_delta_has_what_changed_and_nothing_else(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let base = compact(&bench, None).await["snapshot_revision"].clone();
        let same = compact(&bench, Some(&base)).await;
        assert_eq!(
            (&same["/state_delta/added"], &same["/state_delta/removed"], &same["/state_delta/changed"]),
            (&json!([]), &json!([]), &json!([]))
        );
        assert_eq!(same["/state_delta/base_snapshot_revision"], base);

        bench.phone().set_text("settings.title", "Preferences");
        bench.phone().set(&Change::Visible("settings.wifi_summary".to_owned(), false));
        let changed = compact(&bench, Some(&base)).await;
        let delta = &changed["state_delta"];
        assert_eq!(delta["changed"].as_array().unwrap().len(), 1, "{delta:#}");
        assert!(delta["changed"].to_string().contains("Preferences"), "{delta:#}");
        let removed = delta["removed"].as_array().unwrap();
        assert_eq!((removed.len(), &removed[0]["text"]), (1, &json!("Home network")), "{delta:#}");
        assert!(removed[0]["index"].is_number(), "{delta:#}");
        assert_eq!((&delta["added"], &delta["truncated"]), (&json!([]), &json!(false)), "{delta:#}");

        let then = changed["snapshot_revision"].clone();
        bench.phone().set(&Change::Visible("settings.wifi_summary".to_owned(), true));
        let back = compact(&bench, Some(&then)).await;
        assert_eq!(back["/state_delta/added"].as_array().unwrap().len(), 1, "{:#}", back.structured);
    }

    async fn a_delta_is_far_smaller_than_its_tree(flavor) {
        let bench = Bench::new("flip", flavor).await;
        let whole = bench.call("get_ui_tree", json!({})).await.fine();
        bench.phone().set_text("a.heading", "State A, later");
        let delta = compact(&bench, Some(&whole["snapshot_revision"])).await;
        let (small, large) = (delta.structured.to_string().len(), whole.structured.to_string().len());
        assert!(small * 4 < large, "{small} and {large} bytes");
    }

    async fn past_five_hundred_nodes_a_delta_only_says_that_something_changed(flavor) {
        let bench = Setup::written(&crowd(600), flavor).start().await;
        let base = compact(&bench, None).await["snapshot_revision"].clone();
        bench.phone().set_text("one.row1", "Other");
        let delta = compact(&bench, Some(&base)).await;
        assert_eq!(delta["/state_delta/truncated"], true, "{:#}", delta["state_delta"]);
    }

    async fn of_more_than_two_hundred_changes_the_rest_is_counted(flavor) {
        let bench = Setup::written(&crowd(300), flavor).start().await;
        let base = compact(&bench, None).await["snapshot_revision"].clone();
        bench.phone().goto("two");
        let delta = compact(&bench, Some(&base)).await["state_delta"].clone();
        let changes: usize =
            ["added", "removed", "changed"].map(|kind| delta[kind].as_array().map_or(0, Vec::len)).iter().sum();
        assert_eq!((changes, &delta["truncated"]), (200, &json!(true)));
        assert!(delta["omitted_changes"].as_u64().unwrap() >= 100, "{}", delta["omitted_changes"]);
    }

    async fn a_screen_that_cannot_be_read_is_an_error_in_both_modes(flavor) {
        let bench = Bench::new("settings", flavor).await;
        for (fault, code) in [
            (FaultKind::NullRoot, "NULL_ROOT"),
            (FaultKind::Garbage { bytes: 200 }, "TREE_INVALID"),
            (FaultKind::CutOutput { bytes: 700 }, "TREE_TRUNCATED"),
        ] {
            for mode in ["debug", "compact"] {
                bench.phone().fault(Fault::forever("dump", fault.clone()));
                let answer = bench.call("get_ui_tree", json!({ "responseMode": mode })).await.refused(code, None);
                bench.phone().clear_faults();
                assert!(answer["/error/remedy"].is_string(), "{:#}", answer.structured);
                assert!(!answer.has("snapshot_revision"), "an error tree carries no revision: {:#}", answer.structured);
            }
        }
    }

    async fn a_read_that_fails_once_is_made_again(flavor) {
        let bench = Bench::new("settings", flavor).await;
        for fault in [
            FaultKind::NullRoot,
            FaultKind::Killed,
            FaultKind::NpeMidWalk,
            FaultKind::Garbage { bytes: 99 },
            FaultKind::StatusBefore,
            FaultKind::StatusAfter,
        ] {
            bench.phone().fault(Fault::once("dump", fault.clone()));
            let answer = bench.call("get_ui_tree", json!({})).await;
            bench.phone().clear_faults();
            assert!(!answer.is_error, "{fault:?}: {:#}", answer.structured);
        }
    }

    async fn text_is_one_line_an_element(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let answer = bench.call("get_ui_tree", json!({ "format": "text" })).await.fine();
        assert!(!answer.has("elements"));
        let lines = answer["text"].as_str().unwrap();
        for shown in ["Wi-Fi", "Airplane mode", "Follow the system"] {
            assert!(lines.contains(shown), "{lines}");
        }
        assert!(answer.text.contains(lines) && answer.text.contains("untrusted"), "{}", answer.text);
        let json = bench.call("get_ui_tree", json!({})).await.fine();
        assert!(lines.len() * 3 < json["elements"].to_string().len(), "{} bytes of text", lines.len());
    }

    async fn scope_shows_what_lies_inside(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let answer = bench.call("get_ui_tree", json!({ "scope": { "resource_id": "theme" } })).await.fine();
        let texts: Vec<_> =
            answer["elements"].as_array().unwrap().iter().filter_map(|element| element["text"].as_str()).collect();
        assert_eq!(texts, ["Light", "Dark", "Follow the system"]);
    }

    async fn interactive_only_shows_what_can_be_acted_on(flavor) {
        let bench = Bench::new("counter", flavor).await;
        let answer = bench.call("get_ui_tree", json!({ "interactiveOnly": true })).await.fine();
        let elements = answer["elements"].as_array().unwrap();
        assert!(elements.iter().any(|element| element["text"] == "Increment"), "{elements:#?}");
        assert!(
            elements.iter().all(|element| element["resourceId"].as_str().is_none_or(|id| !id.ends_with("value"))),
            "{elements:#?}"
        );
    }

    async fn pages_cover_the_whole_tree_once(flavor) {
        let bench = Bench::new("settings", flavor).await;
        let whole = bench.call("get_ui_tree", json!({})).await.fine();
        let mut paged = Vec::new();
        let mut offset = json!(0);
        while !offset.is_null() {
            let page = bench.call("get_ui_tree", json!({ "maxElements": 7, "offset": offset })).await.fine();
            let elements = page["elements"].as_array().unwrap();
            assert!((1..=7).contains(&elements.len()));
            paged.extend(elements.iter().map(|element| (element["text"].clone(), element["bounds"].clone())));
            assert_eq!(page["total"], whole["elements"].as_array().unwrap().len());
            offset = page["next_offset"].clone();
        }
        let all: Vec<_> = whole["elements"]
            .as_array()
            .unwrap()
            .iter()
            .map(|element| (element["text"].clone(), element["bounds"].clone()))
            .collect();
        assert_eq!(paged, all);
    }

    async fn a_passwords_text_is_never_shown(flavor) {
        let bench = Bench::new("login", flavor).await;
        bench.phone().set_text("login.password", "hunter2hunter2");
        let first = bench.call("get_ui_tree", json!({})).await.fine();
        assert!(!first.structured.to_string().contains("hunter2") && !first.text.contains("hunter2"));
        // The device shows dots, and another number of them is another screen.
        bench.phone().set_text("login.password", "hunter3");
        let second = compact(&bench, None).await;
        assert!(second["snapshot_revision"].as_u64() > first["snapshot_revision"].as_u64());
    }

    async fn a_large_tree_travels_in_structured_content_alone(flavor) {
        let bench = Bench::new("settings", flavor).await;
        bench.phone().fault(Fault::now(FaultKind::HugeTree { nodes: 1_500 }));
        let elided = bench.call("get_ui_tree", json!({})).await.fine();
        let (shown, count) = (elided["elements"].as_array().unwrap().len(), elided["node_count"].as_u64().unwrap());
        assert!(shown < 100 && count >= 1_500, "nodes that say nothing are counted, not shown: {shown} of {count}");

        let bench = Setup::written(&crowd(600), flavor).start().await;
        let answer = bench.call("get_ui_tree", json!({})).await.fine();
        assert!(answer["elements"].as_array().unwrap().len() >= 600);
        assert!(answer.text.len() <= 48 * 1024, "{} bytes of text", answer.text.len());
    }
}
