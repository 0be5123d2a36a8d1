//! What the demo shows, step by step, and what each step must prove.

use std::time::Instant;

use serde_json::{Value, json};
use simphone::Phone;

use super::super::output::print;
use super::{Broken, Client};
use crate::request::{ms, round};

/// The story so far.
pub(super) struct Story {
    aloud: bool,
    began: Instant,
    chapter: Instant,
    chapters: Vec<Value>,
    sound: bool,
}

impl Story {
    pub(super) fn new(aloud: bool) -> Self {
        Self { aloud, began: Instant::now(), chapter: Instant::now(), chapters: Vec::new(), sound: true }
    }

    fn say(&self, text: &str) {
        if self.aloud {
            print(text);
        }
    }

    pub(super) fn opening(&self, adb: &str, phone: &str) {
        self.say(&format!(
            "handset {} · a simulated phone on {phone}, driven through {adb},\nby `handset serve` over MCP stdio\n",
            env!("CARGO_PKG_VERSION")
        ));
    }

    fn begin(&mut self, title: &str) {
        self.chapter = Instant::now();
        self.say(&format!("\n{}. {title}\n", self.chapters.len() + 1));
    }

    fn line(&self, text: &str) {
        self.say(&format!("   {text}\n"));
    }

    /// Ends a chapter: `proved` says whether it showed what it should.
    fn end(&mut self, name: &str, proved: bool, claim: &str, evidence: Value) {
        let took = round(ms(self.chapter.elapsed()));
        self.sound &= proved;
        self.line(&format!("{} {claim}  ({took} ms)", if proved { "✓" } else { "✗" }));
        self.chapters.push(json!({ "name": name, "proved": proved, "claim": claim, "ms": took, "evidence": evidence }));
    }

    pub(super) fn closing(self, calls: u32, spent_ms: f64) -> Value {
        let total = round(ms(self.began.elapsed()));
        self.say(&format!(
            "\n{calls} round trips, {spent_ms} ms in calls, {total} ms in all. {}\n",
            if self.sound { "Everything above was checked." } else { "NOT everything went as it should." }
        ));
        json!({
            "success": self.sound,
            "chapters": self.chapters,
            "round_trips": calls,
            "calls_ms": spent_ms,
            "total_ms": total,
        })
    }
}

/// The story: look, act under guard, be blocked, wait for readiness, run a journey.
pub(super) async fn tell(story: &mut Story, client: &mut Client, phone: &Phone) -> Result<(), Broken> {
    let device = devices(story, client).await?;
    let seen = look(story, client, &device).await?;
    guarded(story, client, phone, &seen).await?;
    blocked(story, client, phone, &seen).await?;
    readiness(story, client).await?;
    journey(story, client).await
}

async fn devices(story: &mut Story, client: &mut Client) -> Result<String, Broken> {
    story.begin("Which devices are there?");
    let answer = client.call("list_devices", json!({})).await?;
    let devices = answer["devices"].as_array().cloned().unwrap_or_default();
    for device in &devices {
        story.line(&format!(
            "{} · {} · Android {} · {}",
            text(&device["id"]),
            text(&device["model"]),
            text(&device["osVersion"]),
            text(&device["state"])
        ));
    }
    let id = text(&devices.first().unwrap_or(&Value::Null)["id"]);
    story.end("devices", devices.len() == 1 && !id.is_empty(), "one usable device", answer["devices"].clone());
    Ok(id)
}

/// What a guard needs to know later.
struct Seen {
    device: String,
    session: String,
    revision: u64,
}

async fn look(story: &mut Story, client: &mut Client, device: &str) -> Result<Seen, Broken> {
    story.begin("What is on the screen?");
    client
        .call(
            "start_app",
            json!({ "appId": "com.example.login", "verificationMode": "light", "responseMode": "compact" }),
        )
        .await?;
    let tree = client.call("get_ui_tree", json!({ "format": "text" })).await?;
    let lines = text(&tree["text"]);
    for line in lines.lines() {
        story.line(line);
    }
    let seen = Seen {
        device: device.to_owned(),
        session: text(&tree["snapshot_session_id"]),
        revision: tree["snapshot_revision"].as_u64().unwrap_or(0),
    };
    story.end(
        "tree",
        lines.contains("Sign in") && seen.revision > 0,
        &format!("{} nodes read, revision {} of this session", tree["node_count"], seen.revision),
        json!({ "snapshot_revision": seen.revision, "node_count": tree["node_count"], "text": lines }),
    );
    Ok(seen)
}

fn tap(seen: &Seen, resource_id: &str) -> Value {
    json!({
        "platform": "android",
        "deviceId": seen.device,
        "selector": { "resource_id": resource_id },
        "verificationMode": "light",
        "responseMode": "compact",
        "expectedState": { "snapshotSessionId": seen.session, "snapshotRevision": seen.revision },
    })
}

async fn guarded(story: &mut Story, client: &mut Client, phone: &Phone, seen: &Seen) -> Result<(), Broken> {
    story.begin(&format!("Tap the username field, but only while the screen is still revision {}", seen.revision));
    let before = phone.journal().inputs().len();
    let answer = client.call("tap_element", tap(seen, "username")).await?;
    let inputs = phone.journal().inputs().len() - before;
    story.line(&format!(
        "condition {} · delivery {} · {} input reached the phone",
        text(&answer["condition"]["status"]),
        text(&answer["delivery_status"]),
        inputs
    ));
    for change in changes(&answer["state_delta"]) {
        story.line(&change);
    }
    let proved = answer["success"] == json!(true) && answer["condition"]["status"] == json!("matched") && inputs == 1;
    story.end("guarded_tap", proved, "it matched, and went through once", brief(&answer));
    Ok(())
}

async fn blocked(story: &mut Story, client: &mut Client, phone: &Phone, seen: &Seen) -> Result<(), Broken> {
    story.begin("The same tap again: the field has the focus now, so the screen is another one");
    let before = phone.journal().inputs().len();
    let answer = client.call("tap_element", tap(seen, "username")).await?;
    let inputs = phone.journal().inputs().len() - before;
    let observed = answer["condition"]["observed"]["snapshot_revision"].as_u64().unwrap_or(0);
    story.line(&format!(
        "{}: expected revision {}, found {observed}; {inputs} inputs reached the phone",
        text(&answer["failure_code"]),
        seen.revision
    ));
    let delta = client
        .call("get_ui_tree", json!({ "responseMode": "compact", "sinceSnapshotRevision": seen.revision }))
        .await?;
    let changed = changes(&delta["state_delta"]);
    for change in &changed {
        story.line(change);
    }
    let proved = answer["failure_code"] == json!("PRECONDITION_FAILED")
        && answer["dispatch_started"] == json!(false)
        && inputs == 0
        && !changed.is_empty();
    let evidence = json!({ "answer": brief(&answer), "changes": changed });
    story.end("blocked_tap", proved, "nothing was sent, and what changed is known", evidence);
    Ok(())
}

async fn readiness(story: &mut Story, client: &mut Client) -> Result<(), Broken> {
    story.begin("Sign in, and wait until the app is ready");
    client
        .call(
            "tap_element",
            json!({ "selector": { "resource_id": "sign_in" }, "verificationMode": "none", "responseMode": "compact" }),
        )
        .await?;
    let loading = client.call("get_readiness", json!({ "samples": 1 })).await?;
    for line in evidence(&loading["readiness"]) {
        story.line(&line);
    }
    let settled = client.call("wait_for_readiness", json!({ "timeoutMs": 10_000 })).await?;
    for line in evidence(&settled["readiness"]) {
        story.line(&line);
    }
    let proved = loading["readiness"]["state"] == json!("loading") && settled["success"] == json!(true);
    let shown = json!({ "before": loading["readiness"], "after": settled["readiness"] });
    story.end("readiness", proved, "it was loading, then settled, each with its evidence", shown);
    Ok(())
}

async fn journey(story: &mut Story, client: &mut Client) -> Result<(), Broken> {
    story.begin("A journey in one call, one of its steps a third party's component");
    let answer = client
        .call(
            "run_journey",
            json!({
                "platform": "android",
                "defaults": { "verificationMode": "light" },
                "steps": [
                    { "id": "leave", "type": "tap", "selector": { "text": "Log out" } },
                    { "id": "back-at-login", "type": "assert", "assertion": { "kind": "element_visible", "selector": { "resource_id": "sign_in" } } },
                    { "id": "sign-in", "type": "login-flow/sign-in", "args": { "user": "ada", "password": "analytical" }, "timeoutMs": 15_000 },
                    { "id": "settled", "type": "wait_for_readiness" },
                ],
            }),
        )
        .await?;
    let steps = answer["steps"].as_array().cloned().unwrap_or_default();
    for step in &steps {
        let said = &step["result"]["plugin"]["body"];
        let said = if said.is_null() { String::new() } else { format!(" · the plugin says {said}") };
        story.line(&format!(
            "{:<14} {:<20} {} ({} ms){said}",
            text(&step["id"]),
            text(&step["type"]),
            text(&step["status"]),
            step["timing"]["total_ms"]
        ));
    }
    let greeted = steps.iter().any(|step| step["result"]["plugin"]["body"]["greeting"] == json!("Welcome, ada"));
    let brief: Vec<Value> = steps.iter().map(|step| json!({ "id": step["id"], "type": step["type"], "status": step["status"], "plugin": step["result"]["plugin"] })).collect();
    story.end(
        "journey",
        answer["success"] == json!(true) && greeted,
        "four steps passed in one round trip",
        json!(brief),
    );
    Ok(())
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A delta in a line a change.
fn changes(delta: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for (kind, mark) in [("added", "+"), ("removed", "-"), ("changed", "~")] {
        for element in delta[kind].as_array().into_iter().flatten() {
            let name = ["resourceId", "stable_id", "text", "contentDescription", "type"]
                .iter()
                .find_map(|member| element[*member].as_str());
            let state = &element["state"];
            let state = if state.is_null() { String::new() } else { format!(" {state}") };
            lines.push(format!("{mark} {}{state}", name.unwrap_or("an element")));
        }
    }
    lines
}

/// Readiness in a line a piece of evidence.
fn evidence(readiness: &Value) -> Vec<String> {
    let mut lines = vec![format!(
        "{} · {} sample(s), the same for {} ms",
        text(&readiness["state"]),
        readiness["samples"],
        readiness["stable_for_ms"]
    )];
    for piece in readiness["evidence"].as_array().into_iter().flatten() {
        let firm = if piece["heuristic"] == json!(true) { "a guess" } else { "firm" };
        lines.push(format!(
            "  {} says {} ({firm}) {}",
            text(&piece["source"]),
            text(&piece["signal"]),
            text(&piece["detail"])
        ));
    }
    lines
}

/// An action's answer without the tree that blocked it.
fn brief(answer: &Value) -> Value {
    let mut brief = answer.clone();
    brief["condition"]["observed"] =
        json!({ "snapshot_revision": answer["condition"]["observed"]["snapshot_revision"] });
    brief
}
