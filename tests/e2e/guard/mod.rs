//! Guarded inputs, witnessed by the phone's own journal: what is sent, what is not, and on which reads it was decided.
//!
//! The matrix is data: five input tools × three verification modes × two response modes. Each family of behaviour is
//! one test that walks it, and every assertion names the case.

mod arguments;
mod blocked;
mod late;
mod matched;
mod not_reached;
mod predicates;
mod together;
mod unavailable;

use std::fmt;

use serde_json::{Value, json};

use crate::support::{Answer, Bench};

/// One input tool on the login scene, and what its input looks like in the journal.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    /// Kind of the input it injects.
    pub(crate) kind: &'static str,
    arguments: &'static str,
    /// Reads that resolve its target, before the guard's own.
    pub(crate) resolving: usize,
}

impl Tool {
    pub(crate) fn arguments(&self) -> Value {
        serde_json::from_str(self.arguments).unwrap()
    }
}

pub(crate) const TOOLS: [Tool; 5] = [
    Tool { name: "tap", kind: "tap", arguments: r#"{"x": 540, "y": 1170}"#, resolving: 0 },
    Tool { name: "tap_element", kind: "tap", arguments: r#"{"selector": {"resource_id": "sign_in"}}"#, resolving: 1 },
    Tool {
        name: "swipe",
        kind: "swipe",
        arguments: r#"{"x1": 540, "y1": 2000, "x2": 540, "y2": 1500, "duration": 60}"#,
        resolving: 0,
    },
    Tool { name: "type_text", kind: "text", arguments: r#"{"text": "abc"}"#, resolving: 0 },
    Tool { name: "press_back", kind: "keyevent", arguments: "{}", resolving: 0 },
];

/// One cell of the matrix.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) tool: &'static Tool,
    pub(crate) verification: &'static str,
    pub(crate) response: &'static str,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}/{}", self.tool.name, self.verification, self.response)
    }
}

/// The whole matrix.
pub(crate) fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for tool in &TOOLS {
        for verification in ["none", "light", "full"] {
            all.extend(["compact", "debug"].map(|response| Case { tool, verification, response }));
        }
    }
    all
}

/// The login scene as it starts, on every phone of the bench.
pub(crate) fn reset(bench: &Bench) {
    for phone in &bench.phones {
        phone.goto("login");
        phone.set_text("login.title", "Sign in to Example");
        phone.set_bounds("login.title", [64, 300, 1016, 400]);
        phone.set_enabled("login.remember", true);
        phone.set_checked("login.remember", false);
    }
}

/// What the screen is now, as an `expectedState`.
pub(crate) async fn expected(bench: &Bench) -> Value {
    expected_of(bench, &bench.device).await
}

/// What the screen of one device is now.
pub(crate) async fn expected_of(bench: &Bench, device: &str) -> Value {
    let tree = bench.call("get_ui_tree", json!({ "deviceId": device, "responseMode": "compact" })).await.fine();
    json!({ "snapshotSessionId": tree["snapshot_session_id"], "snapshotRevision": tree["snapshot_revision"] })
}

/// The tool's call, in the case's modes, with these members besides.
pub(crate) fn arguments(bench: &Bench, case: Case, besides: &Value) -> Value {
    let mut arguments = bench.aimed(case.tool.arguments());
    arguments["verificationMode"] = json!(case.verification);
    arguments["responseMode"] = json!(case.response);
    for (name, value) in besides.as_object().unwrap() {
        arguments[name] = value.clone();
    }
    arguments
}

/// Calls the case's tool, guarded by `expected`.
pub(crate) async fn guarded(bench: &Bench, case: Case, expected: &Value) -> Answer {
    bench.call(case.tool.name, arguments(bench, case, &json!({ "expectedState": expected }))).await.fine()
}

/// Everything a blocked input's answer says, in both response modes.
#[track_caller]
pub(crate) fn assert_blocked(answer: &Answer, code: &str, status: &str, reason: Option<&str>, case: &str) {
    let shown = format!("{case}: {:#}", answer.structured);
    for (member, value) in [
        ("/success", json!(false)),
        ("/lifecycle_state", json!("failed")),
        ("/failure_code", json!(code)),
        ("/retryable", json!(false)),
        ("/delivery_status", json!("not_delivered")),
        ("/dispatch_started", json!(false)),
        ("/verification/status", json!("not_requested")),
        ("/condition/status", json!(status)),
        ("/condition/reason", json!(reason)),
        ("/error/code", json!(code)),
    ] {
        assert_eq!(answer[member], value, "{member} of {shown}");
    }
    assert!(answer["/error/remedy"].is_string() && answer["/timing/total_ms"].is_number(), "{shown}");
    assert!(answer["/condition/elapsed_ms"].is_number(), "{shown}");
    assert!(
        !answer.has("state_delta") && !answer.has("verification_diagnostic"),
        "nothing was read afterwards: {shown}"
    );
}

/// The evidence names what was expected.
#[track_caller]
pub(crate) fn assert_expectation(answer: &Answer, expected: &Value, case: &str) {
    let shown = json!({ "snapshot_session_id": expected["snapshotSessionId"], "snapshot_revision": expected["snapshotRevision"] });
    assert_eq!(answer["/condition/expected"], shown, "{case}");
}

/// The whole blocking tree is there: elements, device, identity, whatever the response mode.
#[track_caller]
pub(crate) fn assert_blocking_tree(answer: &Answer, case: &str) {
    let observed = &answer["/condition/observed"];
    let elements = observed["elements"].as_array().map_or(0, Vec::len);
    assert!(elements >= 5, "{case}: {elements} elements in {observed:#}");
    for member in ["device", "resolution", "snapshot_session_id", "snapshot_revision", "captured_at_ms"] {
        assert!(!observed[member].is_null(), "{case}: no {member} in {observed:#}");
    }
}

/// A compact answer has nothing but what the contract lists.
#[track_caller]
pub(crate) fn assert_compact(answer: &Answer, case: &str) {
    const MEMBERS: [&str; 16] = [
        "action_id",
        "action_type",
        "success",
        "lifecycle_state",
        "failure_code",
        "retryable",
        "delivery_status",
        "dispatch_started",
        "verification",
        "verification_diagnostic",
        "state_delta",
        "state_delta_available",
        "condition",
        "checks",
        "error",
        "timing",
    ];
    let odd: Vec<_> = answer.members().into_iter().filter(|name| !MEMBERS.contains(name)).collect();
    assert!(odd.is_empty(), "{case}: a compact answer has {odd:?}");
    assert_eq!(answer["timing"].as_object().unwrap().keys().collect::<Vec<_>>(), ["total_ms"], "{case}");
    for check in answer["checks"].as_array().into_iter().flatten() {
        let members = check.as_object().unwrap();
        assert!(
            members.keys().all(|name| ["predicate", "verdict", "reason"].contains(&name.as_str())),
            "{case}: {check}"
        );
    }
}
