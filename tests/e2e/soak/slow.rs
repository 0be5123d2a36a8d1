//! A phone that takes seconds for what others do in one.

use serde_json::{Value, json};
use simphone::Profile;

use crate::support::{Answer, Bench, Setup, on_each_adb};

/// Look, act, prove what is there and what is not; as an agent writes it that knows nothing of timeouts.
fn steps() -> Value {
    json!([
        { "id": "wait", "type": "wait", "selector": { "text": "State A" } },
        { "id": "tap", "type": "tap", "selector": { "text": "Flip" } },
        { "id": "visible", "type": "assert", "assertion": { "kind": "element_visible", "selector": { "text": "State B" } } },
        { "id": "absent", "type": "assert", "assertion": { "kind": "element_absent", "selector": { "text": "State A" } } },
    ])
}

async fn run(bench: &Bench, mut arguments: Value, steps: Value) -> Answer {
    arguments["steps"] = steps;
    bench.call("run_journey", bench.aimed(arguments)).await.fine()
}

on_each_adb! {
    async fn a_journey_with_defaults_passes_or_says_which_evidence_was_cut_and_what_to_raise(flavor) {
        let bench = Setup::new("flip", flavor).phone(|phone| phone.profile = Profile::SLOW_PHONE).start().await;
        let answer = run(&bench, json!({}), steps()).await;
        if answer["success"] != true {
            let ended = answer["steps"].as_array().unwrap().iter().find(|step| step["status"] == "failed").unwrap();
            let (code, error) = (&ended["result"]["failure_code"], &ended["result"]["error"]);
            let told = format!("{} {}", error["message"], error["remedy"]);
            let kind = ended["type"].as_str().unwrap();
            let codes: &[&str] = match kind {
                "tap" => &["ACTION_TIMEOUT"],
                "wait" => &["TIMEOUT"],
                _ => &["ASSERTION_TIMEOUT", "TIMEOUT"],
            };
            assert!(codes.iter().any(|expected| code == expected), "{ended:#}");
            // Which evidence: how many reads of how many; or that not even one came back.
            let counted = ["0 of 2", "1 of 2"].iter().any(|count| told.contains(&format!("{count} satisfying reads")));
            assert!(kind == "tap" || counted || told.contains("reading the screen"), "{ended:#}");
            // By the name a journey's step has for it, where reads were cut and not the very first one.
            let raise = match kind {
                "tap" => "raise actionTimeoutMs",
                _ if counted => "raise timeoutMs",
                _ => "Raise the timeout",
            };
            assert!(told.contains(raise) && !told.contains("timeout_ms"), "it says what to raise: {ended:#}");
        }

        // With time enough it passes, the absence of what was there before included.
        bench.phone().goto("a");
        let mark = bench.mark();
        let mut steps = steps();
        for step in steps.as_array_mut().unwrap().iter_mut().filter(|step| step["type"] != "tap") {
            step["timeoutMs"] = json!(60_000);
        }
        let defaults = json!({ "defaults": { "actionTimeoutMs": 30_000, "verificationTimeoutMs": 60_000 } });
        let answer = run(&bench, defaults, steps).await;
        assert_eq!((&answer["success"], &answer["stopped_at_step_id"]), (&json!(true), &Value::Null), "{:#}", answer.structured);
        mark.one_input("tap", "one tap, however slow");
    }
}
