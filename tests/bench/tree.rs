//! A tree beyond the adb child that brings it, and a guard beyond its read.

use serde_json::{Value, json};

use crate::report::{Row, Subject};
use crate::rig::{Rig, of_size, own_ms, showing};
use crate::subject::{Runs, in_turns};

/// `tree`.
pub(crate) async fn tree(runs: Runs) -> Subject {
    let mut subject = Subject::begin(
        "tree",
        "get_ui_tree",
        "One call, whole answer, on an instant phone. The floor runs the same adb command lines bare: the listing that finds \
         the device, and the one shell line that dumps, reads and removes the tree; what is beyond it holds the way to the client \
         and its reading of the answer too. The rows below each are what the server's own record leaves beside its children.",
        runs,
    );
    for (nodes, options) in [(27, showing("flip")), (500, of_size(500)), (1_000, of_size(1_000))] {
        let rig = Rig::start([options]).await;
        for (what, arguments) in [("", json!({})), (", as text", json!({ "format": "text" }))] {
            let children = {
                let recorded = rig.recorded().await;
                recorded.wire.call("get_ui_tree", &arguments).await.fine();
                let (called, children) = recorded.call("get_ui_tree", &arguments).await;
                called.fine();
                children
            };
            let server = rig.server().await;
            let mut bytes = 0;
            let (whole, floor) = in_turns(
                runs.of(40),
                5,
                async || {
                    let called = server.call("get_ui_tree", &arguments).await.fine();
                    bytes = called.line.len();
                    called.ms()
                },
                async || children.run(),
            )
            .await;
            let (measured, measures) = rig.measured().await;
            for _ in 0..runs.of(40) {
                measured.call("get_ui_tree", &arguments).await.fine();
            }
            let own = measures.of(&["get_ui_tree"]).iter().map(own_ms).collect();
            let own = Row::new(format!("{nodes} nodes{what}: from request to answer, without its children"), "ms", own);
            let what = format!("{nodes} nodes{what}: {} KB in {} children", bytes / 1_000, children.count());
            let row = Row::new(what, "ms", whole).over(floor);
            subject.row(if nodes == 500 { row.beyond_at_most(5.0) } else { row });
            subject.row(if nodes == 500 { own.median_at_most(5.0) } else { own });
        }
    }
    subject
}

/// `guard`.
pub(crate) async fn guard(runs: Runs) -> Subject {
    let mut subject = Subject::begin(
        "guard",
        "Guarded taps",
        "A tap at a point, `verificationMode: none`, on a screen of 27 nodes. The floor runs the same children bare: for a guarded \
         tap also the guard's read. What is beyond is Handset's whole part, the guard's verdict within it.",
        runs,
    );
    let rig = Rig::start([showing("flip")]).await;
    let device = rig.device();
    let tap = json!({ "platform": "android", "deviceId": device, "x": 500, "y": 1500, "verificationMode": "none" });
    let seen = json!({ "predicate": "element-visible", "args": { "selector": { "text": "State A" } } });
    for (what, kind) in [
        ("no guard", Guard::None),
        ("`expectedState`", Guard::Expected),
        ("`precondition`: element-visible", Guard::Precondition(&seen)),
    ] {
        let children = {
            let recorded = rig.recorded().await;
            let arguments = guarded(&tap, kind, recorded.wire.call("get_ui_tree", &json!({})).await.fine().body());
            recorded.call("tap", &arguments).await.0.fine();
            let (called, children) = recorded.call("tap", &arguments).await;
            called.fine();
            children
        };
        let server = rig.server().await;
        let arguments = guarded(&tap, kind, server.call("get_ui_tree", &json!({})).await.fine().body());
        let (whole, floor) = in_turns(
            runs.of(40),
            5,
            async || server.call("tap", &arguments).await.fine().ms(),
            async || children.run(),
        )
        .await;
        subject.row(Row::new(format!("{what}: {} children", children.count()), "ms", whole).over(floor));
    }
    subject
}

#[derive(Clone, Copy)]
enum Guard<'a> {
    None,
    Expected,
    Precondition(&'a Value),
}

fn guarded(tap: &Value, guard: Guard<'_>, tree: &Value) -> Value {
    let mut arguments = tap.clone();
    match guard {
        Guard::None => {}
        Guard::Expected => {
            arguments["expectedState"] = json!({
                "snapshotSessionId": tree["snapshot_session_id"],
                "snapshotRevision": tree["snapshot_revision"],
            });
        }
        Guard::Precondition(predicate) => arguments["precondition"] = predicate.clone(),
    }
    arguments
}
