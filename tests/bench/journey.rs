//! Twenty steps beyond their children; upstream's loop; a journey on a slow phone.

use std::time::Duration;

use serde_json::{Value, json};
use simphone::{Phone, Profile};

use crate::report::{Row, Subject};
use crate::rig::{Rig, showing};
use crate::subject::{Runs, in_turns};
use crate::wire::{Called, Wire};

fn text(text: &str) -> Value {
    json!({ "text": text })
}

/// `journey`.
pub(crate) async fn journey(runs: Runs) -> Subject {
    let mut subject = Subject::begin(
        "journey",
        "A journey of twenty steps",
        "Ten taps without verification, each followed by `assert element_visible`, on a screen of 27 nodes that flips at each tap, \
         instant phone. The floor runs the same adb command lines bare, one after the other.",
        runs,
    );
    let rig = Rig::start([showing("flip")]).await;
    let steps: Vec<Value> = (0..10)
        .flat_map(|number| {
            let next = ["State B", "State A"][number % 2];
            [
                json!({ "id": format!("tap {number}"), "type": "tap", "selector": { "text": "Flip" }, "verificationMode": "none" }),
                json!({ "id": format!("assert {number}"), "type": "assert", "assertion": { "kind": "element_visible", "selector": { "text": next } } }),
            ]
        })
        .collect();
    let arguments = json!({ "platform": "android", "steps": steps });
    let children = {
        let recorded = rig.recorded().await;
        recorded.wire.call("run_journey", &arguments).await.fine();
        let (called, children) = recorded.call("run_journey", &arguments).await;
        called.fine();
        children
    };
    let server = rig.server().await;
    let (whole, floor) = in_turns(
        runs.of(16),
        2,
        async || server.call("run_journey", &arguments).await.fine().ms(),
        async || {
            rig.phones[0].goto("a");
            let took = children.run();
            rig.phones[0].goto("a");
            took
        },
    )
    .await;
    let row = Row::new(format!("20 steps, {} children", children.count()), "ms", whole).over(floor);
    let each = row.beyond.unwrap_or_default() / 20.0;
    subject.row(row.judged("beyond, per step", each, 2.0));
    subject
}

/// Shell services opened on a phone and dumps begun, since a moment.
struct Opened {
    services: usize,
    dumps: usize,
}

impl Opened {
    fn now(phone: &Phone) -> Self {
        let shells = phone.journal().services().iter().filter(|one| one.name.starts_with("shell")).count();
        Self { services: shells, dumps: phone.journal().counters().dumps }
    }

    fn since(&self, phone: &Phone) -> (usize, usize) {
        let now = Self::now(phone);
        (now.services - self.services, now.dumps - self.dumps)
    }
}

#[allow(clippy::cast_precision_loss, reason = "small counts")]
fn counted(count: usize) -> f64 {
    count as f64
}

/// `upstream`.
pub(crate) async fn upstream(runs: Runs) -> Subject {
    let mut subject = Subject::begin(
        "upstream",
        "The loop of mobile-debug-mcp",
        "Six times `wait_for_ui`, `tap_element`, `expect_element_visible` with default arguments on a screen of 27 elements that \
         flips at each tap, instant phone; then the same as one `run_journey`, `responseMode: compact`, `verificationMode: light`. \
         mobile-debug-mcp 0.29 needs 33 s, 468 device commands and 42 dumps for the loop. A shell service is one `adb shell`: \
         a read is one, an input is one. The floor runs the same adb command lines bare, one after the other, without the pauses \
         that evidence asks for.",
        runs,
    );
    let rig = Rig::start([showing("flip")]).await;
    let phone = &rig.phones[0];
    let children = {
        let recorded = rig.recorded().await;
        let mut all = crate::rig::Children::default();
        for (tool, arguments) in looped() {
            let (called, children) = recorded.call(tool, &arguments).await;
            called.fine();
            all = all.and(children);
        }
        all
    };
    let queries = children.count() - children.shells();
    let (mut services, mut dumps) = (Vec::new(), Vec::new());
    let (whole, floor) = in_turns(
        runs.of(12),
        1,
        async || {
            phone.goto("a");
            // A new server each time: what it has to ask a device first counts.
            let server = rig.server().await;
            crate::start::compiled(&server).await;
            let opened = Opened::now(phone);
            let mut took = Duration::ZERO;
            for (tool, arguments) in looped() {
                took += server.call(tool, &arguments).await.fine().elapsed;
            }
            let (of_services, of_dumps) = opened.since(phone);
            services.push(counted(of_services));
            dumps.push(counted(of_dumps));
            took.as_secs_f64() * 1_000.0
        },
        async || {
            phone.goto("a");
            children.run()
        },
    )
    .await;
    subject.row(Row::new("the loop", "ms", whole).over(floor).median_at_most(4_000.0));
    let most = services.iter().copied().fold(0.0, f64::max);
    subject.row(Row::new("its shell services", "opened", services).judged("most", most, 60.0));
    subject.row(Row::new("its dumps", "dumps", dumps));

    let (mut whole, mut services, mut dumps) = (Vec::new(), Vec::new(), Vec::new());
    let arguments = as_journey();
    for _ in 0..runs.of(12) {
        phone.goto("a");
        let server = rig.server().await;
        crate::start::compiled(&server).await;
        let opened = Opened::now(phone);
        whole.push(server.call("run_journey", &arguments).await.fine().ms());
        let (of_services, of_dumps) = opened.since(phone);
        services.push(counted(of_services));
        dumps.push(counted(of_dumps));
    }
    subject.row(Row::new("as one journey", "ms", whole).median_at_most(2_000.0));
    subject.row(Row::new("its shell services", "opened", services));
    subject.row(Row::new("its dumps", "dumps", dumps));
    let tools = ["wait_for_ui", "tap_element", "expect_element_visible", "run_journey"];
    phone.goto("a");
    let (server, measures) = rig.measured().await;
    for (tool, arguments) in looped() {
        server.call(tool, &arguments).await.fine();
    }
    let of_loop = measures.sums(&tools);
    phone.goto("a");
    let (server, measures) = rig.measured().await;
    server.call("run_journey", &arguments).await.fine();
    subject.counters = json!({ "the loop": of_loop, "the journey": measures.sums(&tools) });
    subject.note(format!("Host queries (`adb devices`) of the loop: {queries}, one a call."));
    subject
}

fn looped() -> Vec<(&'static str, Value)> {
    (0..6)
        .flat_map(|round| {
            let (now, next) = if round % 2 == 0 { ("State A", "State B") } else { ("State B", "State A") };
            [
                ("wait_for_ui", json!({ "selector": text(now) })),
                ("tap_element", json!({ "selector": text("Flip") })),
                ("expect_element_visible", json!({ "selector": text(next) })),
            ]
        })
        .collect()
}

fn as_journey() -> Value {
    let steps: Vec<Value> = (0..6)
        .flat_map(|round| {
            let (now, next) = if round % 2 == 0 { ("State A", "State B") } else { ("State B", "State A") };
            [
                json!({ "id": format!("wait {round}"), "type": "wait", "selector": text(now) }),
                json!({ "id": format!("tap {round}"), "type": "tap", "selector": text("Flip") }),
                json!({ "id": format!("see {round}"), "type": "assert", "assertion": { "kind": "element_visible", "selector": text(next) } }),
            ]
        })
        .collect();
    json!({
        "platform": "android",
        "responseMode": "compact",
        "defaults": { "verificationMode": "light" },
        "steps": steps,
    })
}

/// `slow`.
pub(crate) async fn slow(runs: Runs) -> Subject {
    let mut subject = Subject::begin(
        "slow",
        "A journey on a slow phone",
        "`wait`, `tap`, `assert element_visible`, `assert element_absent` with default arguments on a phone that takes 2–2.5 s a dump, \
         150 ms an input and 50 ms each other program; then with the `timeoutMs` that the answer asks for.",
        runs,
    );
    let mut options = showing("flip");
    options.profile = Profile::SLOW_PHONE;
    let rig = Rig::start([options]).await;
    let server: Wire = rig.server().await;
    let defaults = server.call("run_journey", &slow_journey(None)).await;
    let mut tell = |what: &str, called: Called| {
        let body = called.body();
        let passed = body["steps"].as_array().into_iter().flatten().filter(|step| step["status"] == "passed").count();
        subject.row(Row::new(format!("{what}: {passed} of 4 steps passed"), "ms", vec![called.ms()]));
        if let Some(failed) = body["steps"].as_array().into_iter().flatten().find(|step| step["status"] == "failed") {
            let message = failed.pointer("/result/error/message").and_then(Value::as_str).unwrap_or("no message");
            subject.note(format!("{what}, step {}: {message}", failed["id"]));
        }
    };
    tell("defaults", defaults);
    rig.phones[0].goto("a");
    tell("`timeoutMs: 15000`", server.call("run_journey", &slow_journey(Some(15_000))).await);
    subject
}

fn slow_journey(timeout: Option<u32>) -> Value {
    let mut steps = json!([
        { "id": "wait", "type": "wait", "selector": text("State A") },
        { "id": "tap", "type": "tap", "selector": text("Flip") },
        { "id": "visible", "type": "assert", "assertion": { "kind": "element_visible", "selector": text("State B") } },
        { "id": "absent", "type": "assert", "assertion": { "kind": "element_absent", "selector": text("State A") } },
    ]);
    for step in steps.as_array_mut().into_iter().flatten().filter(|step| step["type"] != "tap") {
        if let Some(timeout) = timeout {
            step["timeoutMs"] = json!(timeout);
        }
    }
    json!({ "platform": "android", "steps": steps })
}
