//! Every tool on a phone as slow as an emulator, beyond its children.

use serde_json::{Value, json};
use simphone::Profile;

use crate::report::{Row, Subject};
use crate::rig::{Rig, showing};
use crate::subject::Runs;
use crate::support::ServerOptions;
use crate::wire::Wire;

/// What of a floor a tool may add, and what of a moment beside it, ms.
const SHARE: f64 = 0.05;
const MOMENT: f64 = 3.0;

/// Between the two equal fingerprints of a full verification (contract §5), ms.
const VERIFIED: f64 = 100.0;
/// Between the two samples that may say settled (contract §9), ms.
const SETTLED: f64 = 300.0;

/// A tool, the arguments that have it do its work on the login screen, and the pauses that the contract asks of it, ms.
type Work = (&'static str, &'static str, f64);

#[rustfmt::skip]
const TOOLS: &[Work] = &[
    ("list_devices", "{}", 0.0),
    ("get_system_status", "{}", 0.0),
    ("get_ui_tree", "{}", 0.0),
    ("get_current_screen", "{}", 0.0),
    ("get_screen_fingerprint", "{}", 0.0),
    ("get_readiness", "{}", SETTLED),
    ("wait_for_readiness", "{}", SETTLED),
    ("wait_for_ui", r#"{"selector": {"text": "Sign in"}}"#, 0.0),
    ("expect_element_visible", r#"{"selector": {"text": "Sign in"}}"#, 0.0),
    ("expect_state", r#"{"selector": {"text": "Remember me"}, "property": "checked", "expected": false}"#, 0.0),
    ("start_app", r#"{"appId": "com.example.login"}"#, VERIFIED),
    ("tap", r#"{"x": 540, "y": 1010}"#, VERIFIED),
    ("tap_element", r#"{"selector": {"text": "Remember me"}}"#, VERIFIED),
    ("swipe", r#"{"x1": 500, "y1": 1500, "x2": 500, "y2": 700, "duration": 100}"#, VERIFIED),
    ("type_text", r#"{"text": "abc"}"#, VERIFIED),
    ("press_back", "{}", VERIFIED),
    ("run_journey", r#"{"platform": "android", "steps": [{"id": "a", "type": "tap", "selector": {"text": "Remember me"}}]}"#, VERIFIED),
    ("list_plugins", "{}", 0.0),
];

/// `tools`.
pub(crate) async fn tools(runs: Runs) -> Subject {
    let mut subject = Subject::begin(
        "tools",
        "Every tool on a phone as slow as an emulator",
        "One call with default controls on the login screen; a dump takes 0.9–1.1 s, an input 60 ms, any other program 20 ms. The \
         floor runs the same adb command lines bare, one after the other, on the same seed, and adds the pauses that the \
         contract asks for: 100 ms between the two fingerprints of a full verification, 300 ms between the two samples that may \
         say settled. What is judged is what is beyond it, against 5 % of the floor and 3 ms.",
        runs,
    );
    let mut options = showing("login");
    options.profile = Profile::EMULATOR;
    let rig = Rig::start([options]).await;
    let phone = &rig.phones[0];
    let again = |seed: u64| {
        phone.reseed(seed);
        phone.goto("login");
    };
    let recorded = rig.recorded().await;
    let (server, listed) = Wire::start(&ServerOptions::default(), Some(&rig.adb)).await;
    crate::start::compiled(&server).await;
    let listed = listed.result["tools"].as_array().into_iter().flatten();
    let left: Vec<&str> = listed
        .filter_map(|tool| tool["name"].as_str())
        .filter(|name| !TOOLS.iter().any(|(tool, ..)| tool == name))
        .collect();
    if !left.is_empty() {
        subject.note(format!("Not measured here, since they need more than this screen: {}.", left.join(", ")));
    }
    // What a connection is asked once is no part of a call.
    for tool in ["list_devices", "get_ui_tree"] {
        server.call(tool, &json!({})).await.fine();
        recorded.wire.call(tool, &json!({})).await.fine();
    }
    for (tool, arguments, pauses) in TOOLS {
        let arguments: Value = serde_json::from_str(arguments).expect("a table of JSON");
        again(0);
        let (called, children) = recorded.call(tool, &arguments).await;
        called.fine();
        let (mut whole, mut floor, mut beyond) = (Vec::new(), Vec::new(), Vec::new());
        for seed in 1..=runs.of(6) as u64 {
            again(seed);
            let one = server.call(tool, &arguments).await.fine().ms();
            again(seed);
            let other = children.run() + pauses;
            whole.push(one);
            floor.push(other);
            beyond.push(one - other);
        }
        let what = format!("`{tool}`: {} children", children.count());
        let row = Row::new(what, "ms", whole).over(floor);
        let allowed = row.floor.map_or(0.0, |floor| floor.median) * SHARE + MOMENT;
        let median = Row::new("", "ms", beyond).measured.median;
        subject.row(row.judged("beyond, seed by seed", median, allowed));
    }
    subject
}
