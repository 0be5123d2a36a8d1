//! Gestures beside taps and swipes: what reaches the screen, in one child, and what is said where a device has less.

use serde_json::json;
use simphone::{Change, Fault, FaultKind, Profile, Times};

use crate::support::{Bench, Flavor, Setup, on_each_adb};

/// A row that is held, a card that is dropped, a picture that is tapped twice.
const SCENE: &str = r#"
[app]
package = "com.example.gestures"
start = "main"

[vars]
seen = "nothing"

[[screen]]
name = "main"

[[screen.element]]
class = "TextView"
rid = "seen"
text = "Seen: {seen}"
bounds = [0, 100, 1080, 200]

[[screen.element]]
class = "TextView"
rid = "row"
text = "Hold me"
flags = "clickable"
bounds = [0, 300, 1080, 500]
tap = [{ let = "seen", value = "tap" }]
long_press = [{ let = "seen", value = "hold" }]

[[screen.element]]
class = "TextView"
rid = "card"
text = "Move me"
bounds = [0, 600, 1080, 800]
swipe = { drop = [{ let = "seen", value = "drop" }], down = [{ let = "seen", value = "swipe" }] }
"#;

fn bench(flavor: Flavor, sdk: u32) -> Setup {
    Setup::written(&format!("[device]\nsdk = {sdk}\n{SCENE}"), flavor)
}

fn seen(bench: &Bench) -> String {
    bench.phone().text_of("main.seen").unwrap().replace("Seen: ", "")
}

on_each_adb! {
    async fn a_long_press_holds_an_element_or_a_point(flavor) {
        let bench = bench(flavor, 34).start().await;
        for (target, asked) in [
            (json!({ "selector": { "text": "Hold me" } }), 800),
            (json!({ "x": 540, "y": 400, "duration": 600 }), 600),
            (json!({ "x": 0.5, "y": 0.1667, "space": "normalized", "duration": 600 }), 600),
        ] {
            bench.phone().set(&Change::Var("seen".to_owned(), "nothing".to_owned()));
            let mark = bench.mark();
            bench.call("long_press", target.clone()).await.succeeded();
            let held = mark.one_input("swipe", &target.to_string());
            assert_eq!(held.args[4], asked.to_string(), "{target}");
            assert_eq!((&held.args[..2], seen(&bench).as_str()), (&held.args[2..4], "hold"), "{target}");
        }
    }

    async fn two_taps_come_within_the_window_though_each_starts_slowly(flavor) {
        // Each `input` takes longer to start than the window is: one after the other would be two single taps.
        let slow = Profile { input_ms: 450, ..Profile::INSTANT };
        let bench = bench(flavor, 34).phone(|phone| phone.profile = slow).start().await;
        let mark = bench.mark();
        let answer = bench.call("double_tap", json!({ "x": 540, "y": 400, "verificationMode": "none" })).await.succeeded();
        let inputs = mark.inputs();
        assert_eq!(inputs.iter().map(|input| input.kind.as_str()).collect::<Vec<_>>(), ["tap", "tap"]);
        let gap = answer["/details/tap_gap_ms"].as_f64().unwrap_or_else(|| panic!("{:#}", answer.structured));
        let real = inputs[1].start_ms - inputs[0].start_ms;
        assert!((gap - real).abs() < 100.0, "told {gap}, was {real}");
        assert_eq!(answer.has("verification_diagnostic"), gap > 300.0, "{:#}", answer.structured);
    }

    async fn taps_too_far_apart_are_told_in_both_response_modes(flavor) {
        let bench = bench(flavor, 34).start().await;
        for response in ["debug", "compact"] {
            let mark = bench.mark();
            bench.phone().fault(Fault { skip: 1, ..Fault::once("input", FaultKind::Slow { ms: 600 }) });
            let call = json!({ "x": 540, "y": 400, "verificationMode": "none", "responseMode": response });
            let answer = bench.call("double_tap", call).await.succeeded();
            assert_eq!((mark.inputs().len(), &answer["delivery_status"]), (2, &json!("delivered")));
            let told = answer["/verification_diagnostic/message"].as_str().unwrap();
            assert!(told.contains("ms apart") && told.contains("300 ms"), "{told}");
        }
    }

    async fn a_double_tap_that_hangs_or_is_denied_says_what_is_known_of_it(flavor) {
        let bench = bench(flavor, 34).start().await;
        let call = json!({ "x": 540, "y": 400, "verificationMode": "none", "actionTimeoutMs": 700 });
        bench.phone().fault(Fault { times: Times::N(2), ..Fault::once("input", FaultKind::InputDenied) });
        let denied = bench.call("double_tap", call.clone()).await.fine();
        assert_eq!(
            (&denied["failure_code"], &denied["delivery_status"]),
            (&json!("INPUT_DENIED"), &json!("not_delivered")),
            "{:#}", denied.structured
        );
        // The first one arrives, the second does not.
        bench.phone().fault(Fault { skip: 1, ..Fault::once("input", FaultKind::Hang) });
        let mark = bench.mark();
        let hung = bench.call("double_tap", call).await.fine();
        assert_eq!(
            (&hung["failure_code"], &hung["delivery_status"], &hung["retryable"]),
            (&json!("ACTION_TIMEOUT"), &json!("unknown"), &json!(false)),
            "{:#}", hung.structured
        );
        assert_eq!((mark.inputs().len(), mark.input_commands().len()), (1, 2), "never tried again");
    }

    async fn a_drag_picks_up_and_an_old_android_says_that_it_cannot(flavor) {
        let path = json!({ "x1": 540, "y1": 700, "x2": 540, "y2": 1500, "duration": 100 });
        for (sdk, kind, seen_then) in [(34, "draganddrop", "drop"), (23, "swipe", "swipe")] {
            let bench = bench(flavor, sdk).start().await;
            let mark = bench.mark();
            let answer = bench.call("drag", path.clone()).await.succeeded();
            mark.one_input(kind, "a drag");
            assert_eq!(seen(&bench), seen_then);
            assert_eq!(answer["/details/note"].is_string(), sdk < 24, "{:#}", answer["details"]);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pinch_is_never_pretended() {
    let bench = Bench::new("counter", Flavor::StandIn).await;
    {
        let mark = bench.mark();
        let call = json!({ "x": 540, "y": 400, "scale": 2 });
        let answer = bench.call("pinch", call).await.fine();
        assert_eq!((&answer["success"], &answer["failure_code"]), (&json!(false), &json!("UNSUPPORTED")));
        assert!(answer["/error/message"].as_str().unwrap().contains("needs two fingers"), "{:#}", answer["error"]);
        assert_eq!(answer["dispatch_started"], false);
        mark.no_input("a pinch");
        assert!(mark.dumps().is_empty(), "nothing is read for what cannot be done");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn points_may_be_parts_of_the_display() {
    let bench = bench(Flavor::StandIn, 34).start().await;
    let near = json!({ "x": 0.5, "y": 0.25, "space": "normalized", "verificationMode": "none" });
    let path = json!({ "x1": 0.5, "y1": 0.9, "x2": 1, "y2": 0, "space": "normalized", "duration": 20 });
    for (tool, call, args) in
        [("tap", near, vec!["540", "600"]), ("swipe", path, vec!["540", "2160", "1079", "0", "20"])]
    {
        let mark = bench.mark();
        bench.call(tool, call).await.succeeded();
        assert_eq!(mark.inputs()[0].args, args, "{tool}");
    }
    for (tool, call, member) in [
        ("tap", json!({ "x": 0.5, "y": 600 }), "x"),
        ("tap", json!({ "x": 5, "y": 600.5, "space": "device" }), "y"),
        ("tap", json!({ "x": 2, "y": 0.5, "space": "normalized" }), "x"),
        ("swipe", json!({ "x1": 0.1, "y1": 0.1, "x2": 0.2, "y2": 1.5, "space": "normalized" }), "y2"),
        ("tap", json!({ "x": 1, "y": 1, "space": "percent" }), "space"),
        ("long_press", json!({ "selector": { "text": "a" }, "space": "normalized" }), "space"),
        ("long_press", json!({ "selector": { "text": "a" }, "x": 1, "y": 1 }), "x"),
        ("long_press", json!({ "x": 1 }), "y"),
        ("double_tap", json!({ "y": 1 }), "x"),
        ("double_tap", json!({}), "selector"),
        ("long_press", json!({ "x": 1, "y": 1, "duration": 399 }), "duration"),
        ("drag", json!({ "x1": 1, "y1": 1, "x2": 2, "y2": 2, "duration": 10_001 }), "duration"),
    ] {
        let mark = bench.mark();
        bench.call(tool, call.clone()).await.refused("INVALID_ARGUMENT", Some(member));
        assert!(mark.commands().is_empty(), "{tool} {call}");
    }
    for (x, y, member) in [(1_080, 5, "x"), (5, 2_400, "y")] {
        let mark = bench.mark();
        bench.call("double_tap", json!({ "x": x, "y": y })).await.refused("INVALID_ARGUMENT", Some(member));
        mark.no_input("off the display");
    }
}

/// Each new input takes a guard: blocked it sends nothing, matched it sends itself, in one child.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_gesture_takes_a_guard() {
    let bench = bench(Flavor::best(), 34).start().await;
    let tools = [
        ("long_press", json!({ "selector": { "text": "Hold me" }, "duration": 400 }), 1),
        ("double_tap", json!({ "x": 540, "y": 2000 }), 2),
        ("drag", json!({ "x1": 540, "y1": 2000, "x2": 540, "y2": 1900, "duration": 20 }), 1),
        ("press_key", json!({ "key": "tab" }), 1),
    ];
    for (tool, arguments, inputs) in tools {
        bench.phone().set(&Change::Var("seen".to_owned(), "nothing".to_owned()));
        let tree = bench.call("get_ui_tree", json!({ "responseMode": "compact" })).await.fine();
        let guarded = || {
            let mut arguments = bench.aimed(arguments.clone());
            arguments["verificationMode"] = json!("none");
            arguments["expectedState"] = json!({ "snapshotSessionId": tree["snapshot_session_id"], "snapshotRevision": tree["snapshot_revision"] });
            arguments
        };
        let mark = bench.mark();
        let answer = bench.call(tool, guarded()).await.succeeded();
        assert_eq!((&answer["/condition/status"], mark.inputs().len()), (&json!("matched"), inputs), "{tool}");
        bench.phone().set(&Change::Var("seen".to_owned(), "something else".to_owned()));
        let mark = bench.mark();
        let answer = bench.call(tool, guarded()).await.fine();
        assert_eq!(answer["failure_code"], "PRECONDITION_FAILED", "{tool}: {:#}", answer.structured);
        mark.no_input(tool);
    }
}
