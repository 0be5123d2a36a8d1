//! The server itself: health and plugins.

use std::time::Duration;

use handset_model::{Code, Failure};
use serde_json::{Value, json};

use super::args::ListPluginsArgs;
use super::health::{Area, Check, Examined, Verdict, examine};
use super::{Answer, Call};
use crate::plugin::{Problem, Reloaded};

/// get_system_status in all (contract §4).
const STATUS: Duration = Duration::from_secs(5);

pub(super) async fn get_system_status(call: Call) -> Result<Answer, Failure> {
    let examined = examine(&call.house, &call.budget(STATUS)).await;
    let said = |area| -> Vec<String> {
        let weighs = |check: &&&Check| check.verdict > Verdict::Note;
        examined.blockers(area).iter().filter(weighs).map(|check| check.found.clone()).collect()
    };
    let issues = said(Area::Android);
    let status = match examined.worst(Area::Android) {
        Verdict::Broken => "blocked",
        Verdict::Warning => "degraded",
        Verdict::Fine | Verdict::Note => "ready",
    };
    let states: Vec<Value> = examined.states.iter().map(|(id, state)| json!({ "id": id, "state": state })).collect();
    let usable = examined.usable;
    let body = json!({
        "success": status != "blocked",
        "status": status,
        "adbAvailable": examined.adb,
        "adbVersion": examined.adb_version,
        "devices": usable,
        "deviceStates": states,
        "logsAvailable": examined.logs,
        "envValid": examined.adb,
        "issues": issues,
        "appInstalled": examined.app,
        "iosAvailable": false,
        "iosDevices": 0,
        "summary": {
            "overall": status,
            "android": area(&examined, Area::Android, format!("{usable} usable of {} attached", states.len())),
            "ios": area(&examined, Area::Ios, "no iOS adapter in this build".to_owned()),
            "gradle": area(&examined, Area::Gradle, found(&examined, Area::Gradle)),
        },
        "timing": call.request.timings.compact(),
    });
    Ok(Answer::body(body))
}

/// What was found, in one line.
fn found(examined: &Examined, area: Area) -> String {
    let checks = examined.checks.iter().filter(|check| check.area == area);
    checks.map(|check| format!("{}: {}", check.name, check.found)).collect::<Vec<_>>().join("; ")
}

/// One part of the summary. A note blocks only an area that is made of notes: builds work without an emulator.
fn area(examined: &Examined, area: Area, summary: String) -> Value {
    let bound = if area == Area::Android { Verdict::Warning } else { Verdict::Note };
    let wrong: Vec<&Check> = examined.blockers(area).into_iter().filter(|check| check.verdict >= bound).collect();
    let ready = match area {
        Area::Android => examined.usable > 0,
        _ => wrong.is_empty(),
    };
    let fixes: Vec<&String> = wrong.iter().filter_map(|check| check.fix.as_ref()).collect();
    let blockers: Vec<&String> = wrong.iter().map(|check| &check.found).collect();
    let mut told = json!({ "ready": ready, "summary": summary, "blockers": blockers });
    if !fixes.is_empty() {
        told["suggestedFixes"] = json!(fixes);
    }
    told
}

/// reload_plugins waits this long for what has to be compiled: one large component, or a hundred small ones.
const RELOADED: Duration = Duration::from_secs(60);

pub(super) async fn reload_plugins(call: Call) -> Result<Answer, Failure> {
    let budget = call.budget(RELOADED);
    let reloaded = budget.run(call.house.plugins.reload()).await.map_err(|stopped| {
        stopped.failure(Code::Timeout, "plugins were being compiled").with_remedy(
            "It goes on, and the old plugins serve until then: call reload_plugins again to see what came of it.",
        )
    })?;
    let problem = match reloaded {
        Ok(Reloaded { came, went, changed, broke, kept }) => {
            let body = json!({
                "success": true, "came": came, "went": went, "changed": changed, "broke": broke, "kept": kept,
            });
            return Ok(Answer::body(body));
        }
        Err(why) => Problem::config(why),
    };
    Ok(Answer::Body {
        body: json!({ "success": false, "problem": problem }),
        success: Some(false),
        failure_code: None,
        text: None,
    })
}

pub(super) async fn list_plugins(call: Call) -> Result<Answer, Failure> {
    // What is still compiling says so; the list itself waits for nothing.
    let _ = call.house.plugins.ready(&call.budget(STATUS)).await;
    let ListPluginsArgs { name, detail } = call.parse()?;
    let plugins = &call.house.plugins;
    let listed = match name {
        Some(name) => plugins.described(&name)?,
        None if detail => plugins.list(),
        None => plugins.summaries(),
    };
    Ok(Answer::body(json!({ "plugins": listed })))
}
