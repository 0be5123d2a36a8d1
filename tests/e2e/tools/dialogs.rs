//! accept_dialog, dismiss_dialog: dialogs of the system's, by the ids of their buttons.

use serde_json::{Value, json};
use simphone::{Fault, FaultKind};

use crate::support::{Bench, on_each_adb};

async fn answer(bench: &Bench) -> Value {
    bench.call("find_element", json!({ "query": "Answer:" })).await.fine()["/element/text"].clone()
}

on_each_adb! {
    async fn a_dialog_is_answered_by_what_its_buttons_mean(flavor) {
        let bench = Bench::new("dialogs", flavor).await;
        for (screen, tool, button, wanted) in [
            ("confirm", "dismiss_dialog", None, "Answer: no"),
            ("confirm", "accept_dialog", None, "Answer: yes"),
            ("confirm", "accept_dialog", Some("negative"), "Answer: no"),
            ("permission", "accept_dialog", None, "Answer: while using"),
            ("permission", "accept_dialog", Some("once"), "Answer: once"),
            ("permission", "dismiss_dialog", None, "Answer: denied"),
        ] {
            assert!(bench.phone().goto("main") && bench.phone().goto(screen));
            let mark = bench.mark();
            let mut arguments = json!({ "verificationMode": "none" });
            if let Some(button) = button {
                arguments["button"] = json!(button);
            }
            bench.call(tool, arguments).await.succeeded();
            mark.one_input("tap", screen);
            assert_eq!(answer(&bench).await, wanted, "{screen} {tool} {button:?}");
        }
    }

    async fn a_dialog_that_says_an_app_does_not_respond_is_waited_for_or_closed(flavor) {
        for (tool, element) in [("accept_dialog", "Wait"), ("dismiss_dialog", "Close app")] {
            let bench = Bench::new("dialogs", flavor).await;
            bench.phone().fault(Fault::now(FaultKind::AnrDialog));
            let shown = bench.call(tool, json!({ "verificationMode": "none" })).await.succeeded();
            assert_eq!(shown["/target/resolved/text"], element, "{:#}", shown.structured);
        }
    }

    async fn an_apps_own_buttons_are_never_taken_for_a_dialogs(flavor) {
        let bench = Bench::new("dialogs", flavor).await;
        for tool in ["accept_dialog", "dismiss_dialog"] {
            let mark = bench.mark();
            let shown = bench.call(tool, json!({ "verificationMode": "none" })).await.fine();
            assert_eq!(shown["failure_code"], "ELEMENT_NOT_FOUND", "{:#}", shown.structured);
            let message = shown["/error/message"].as_str().unwrap();
            assert_eq!(message, "no dialog of the system's is in front; com.example.dialogs is");
            mark.no_input(tool);
        }
        bench.phone().goto("permission");
        let mark = bench.mark();
        let shown = bench.call("accept_dialog", json!({ "button": "wait", "verificationMode": "none" })).await.fine();
        assert_eq!(shown["failure_code"], "ELEMENT_NOT_FOUND", "{:#}", shown.structured);
        assert_eq!(
            shown["/error/candidates"],
            json!([{ "button": "while_using" }, { "button": "once" }, { "button": "deny" }])
        );
        mark.no_input("another button");
        bench.call("accept_dialog", json!({ "button": "yes" })).await.refused("INVALID_ARGUMENT", Some("button"));
    }
}
