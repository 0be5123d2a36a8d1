//! The two timeouts that clamp: any whole number is taken, nothing else.

use serde_json::{Value, json};

use super::{refusal, refuses};
use crate::support::{Bench, Flavor};

/// What is given as `actionTimeoutMs` and `verificationTimeoutMs`, and what each becomes.
fn whole() -> Vec<(Value, u32, u32)> {
    vec![
        (json!(5_000), 5_000, 5_000),
        (json!(5_000.0), 5_000, 5_000),
        (json!(40_000), 30_000, 40_000),
        (json!(60_001), 30_000, 60_000),
        (json!(1_u64 << 60), 30_000, 60_000),
        (json!(u64::MAX), 30_000, 60_000),
        (json!(1e300), 30_000, 60_000),
        (json!(100), 100, 100),
        (json!(99), 100, 100),
        (json!(0), 100, 100),
        (json!(-1), 100, 100),
        (json!(i64::MIN), 100, 100),
        (json!(-1e300), 100, 100),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn whole_numbers_of_any_size_are_clamped() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    for (given, action, verification) in whole() {
        let both = json!({ "x": 540, "y": 300, "verificationMode": "none", "actionTimeoutMs": given, "verificationTimeoutMs": given });
        let alone = bench.call("tap", both).await.fine();
        let journey = bench
            .call(
                "run_journey",
                json!({
                    "platform": "android",
                    "responseMode": "debug",
                    "defaults": { "actionTimeoutMs": given },
                    "steps": [{ "id": "tap", "type": "tap", "selector": { "text": "Sign in" }, "verificationMode": "none", "verificationTimeoutMs": given }],
                }),
            )
            .await
            .fine();
        bench.phone().goto("login");
        for controls in [&alone["effective_controls"], &journey["/steps/0/result/effective_controls"]] {
            assert_eq!(
                (&controls["actionTimeoutMs"], &controls["verificationTimeoutMs"]),
                (&json!(action), &json!(verification)),
                "{given}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fractions_strings_and_the_rest_are_refused() {
    const BASES: [(&str, &str); 6] = [
        ("tap", r#"{"x": 1, "y": 1}"#),
        ("tap_element", r#"{"selector": {"text": "a"}}"#),
        ("swipe", r#"{"x1": 1, "y1": 1, "x2": 1, "y2": 1}"#),
        ("type_text", r#"{"text": "a"}"#),
        ("press_back", "{}"),
        ("start_app", r#"{"appId": "a"}"#),
    ];
    let mut table = Vec::new();
    for wrong in [json!(100.5), json!(1e-3), json!("100"), json!(true), json!(null), json!([100]), json!({})] {
        for (tool, base) in BASES {
            for member in ["actionTimeoutMs", "verificationTimeoutMs"] {
                let mut arguments: Value = serde_json::from_str(base).unwrap();
                arguments[member] = wrong.clone();
                table.push(refusal(tool, arguments, member));
            }
        }
        let step = |member: &str| json!({ "id": "a", "type": "tap", "selector": { "text": "a" }, member: wrong });
        let journey =
            |step: Value, defaults: Value| json!({ "platform": "android", "steps": [step], "defaults": defaults });
        table.push(refusal("run_journey", journey(step("actionTimeoutMs"), json!({})), "steps[0].actionTimeoutMs"));
        table.push(refusal(
            "run_journey",
            journey(step("verificationTimeoutMs"), json!({})),
            "steps[0].verificationTimeoutMs",
        ));
        let defaults = json!({ "actionTimeoutMs": wrong });
        table.push(refusal(
            "run_journey",
            journey(json!({ "id": "a", "type": "press_back" }), defaults),
            "defaults.actionTimeoutMs",
        ));
    }
    refuses(table).await;
}
