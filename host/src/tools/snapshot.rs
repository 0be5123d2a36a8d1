//! `capture_debug_snapshot`: what an agent wants to know when something went wrong, in one answer. A part that cannot be had
//! is named, and the rest still comes.

use std::time::Duration;

use handset_model::Failure;
use handset_model::logs::Level;
use handset_model::ui::{Tree, text_tree};
use serde_json::{Map, json};

use super::args::CaptureDebugSnapshotArgs;
use super::logs::{crash_summary, shown};
use super::picture::Format;
use super::screenshot::{LONG_EDGE, take};
use super::streams::recent;
use super::{Answer, Call};
use crate::action::device_json;
use crate::device::LogQuery;
use crate::request::Purpose;

/// All parts together, and each of them.
const ALL: Duration = Duration::from_secs(40);
const PART: Duration = Duration::from_secs(20);

/// Log lines by default, and those read for them.
const LINES: u32 = 200;
const READ: u32 = 2_000;

/// Bytes of the picture: the answer holds more than it.
const PICTURE: usize = 400 * 1024;

/// Lines of the tree that are shown.
const TREE: usize = 300;

/// Elements named as what can be done.
const ACTIONS: usize = 20;

pub(super) async fn capture_debug_snapshot(call: Call) -> Result<Answer, Failure> {
    let args: CaptureDebugSnapshotArgs = call.parse()?;
    let session = call.session(&args.target).await?;
    let budget = call.budget(ALL);
    let facts = session.facts(&call.request, &budget).await?;
    let mut raw = Map::new();
    let mut failures: Vec<(&str, Failure)> = Vec::new();
    let mut parts = 1;
    let observed = session.observe(&call.request, Purpose::Answer, &budget.child(PART)).await;
    let observation = observed.map_err(|failure| failures.push(("ui_tree", failure))).ok();
    let mut picture = None;
    if args.include_screenshot.unwrap_or(true) {
        parts += 1;
        match take(&session, &call.request, &budget.child(PART), LONG_EDGE, Format::Jpeg, PICTURE).await {
            Ok(taken) => {
                raw.insert("screenshot".into(), taken.json());
                picture = Some((taken.picture.bytes, taken.picture.format.mime()));
            }
            Err(failure) => failures.push(("screenshot", failure)),
        }
    }
    let front = observation.as_ref().and_then(|seen| seen.screen.package.clone());
    let mut crashed = json!({ "crash_detected": false });
    let mut errors = 0;
    if args.include_logs.unwrap_or(true) {
        parts += 1;
        let limit = args.log_lines.unwrap_or(LINES) as usize;
        let read = match &args.session_id {
            Some(id) => recent(&call.house.streams, id, limit),
            None => {
                let query = LogQuery { app: args.app_id.clone().or(front), pid: None, lines: READ };
                let logs = session.adapter.logs(&session.pinned, &query, &budget.child(PART)).await;
                logs.map(|logs| {
                    let entries = logs.entries.iter().map(|entry| (entry, entry.to_json(&logs.base)));
                    (shown(entries, limit).0, crash_summary(&logs))
                })
            }
        };
        match read {
            Ok((kept, summary)) => {
                errors = kept.iter().filter(|entry| entry["level"] == Level::Error.as_str()).count();
                raw.insert("logs".into(), json!(kept));
                crashed = summary;
            }
            Err(failure) => failures.push(("logs", failure)),
        }
    }
    // Where no part could be had, that is the answer.
    if failures.len() == parts {
        let (_, failure) = failures.swap_remove(0);
        session.screens.lost(&session.pinned.key, &failure);
        return Err(failure);
    }
    if let Some(seen) = &observation {
        let text = text_tree(&seen.tree);
        let lines: Vec<&str> = text.lines().take(TREE).collect();
        raw.insert("ui_tree".into(), json!(lines.join("\n")));
        raw.insert("snapshot_revision".into(), json!(seen.revision));
        raw.insert("snapshot_session_id".into(), json!(&*seen.session_id));
        raw.insert("captured_at_ms".into(), json!(seen.captured_at_ms));
        raw.insert("activity".into(), json!(seen.screen.activity));
        raw.insert("fingerprint".into(), json!(seen.fingerprint));
    }
    raw.insert("timestamp".into(), json!(session.screens.clock().wall_ms()));
    raw.insert("reason".into(), json!(args.reason));
    raw.insert("device".into(), device_json(&session.pinned, facts.as_ref()));
    let mut warnings = Vec::new();
    for (part, failure) in &failures {
        raw.insert(format!("{part}_error"), failure.to_json());
        warnings.push(format!("{part} is missing: {}", failure.code));
    }
    let actions: Vec<String> = observation.iter().flat_map(|seen| actionable(&seen.tree)).take(ACTIONS).collect();
    let body = json!({
        "raw": raw,
        "semantic": {
            "screen": observation.as_ref().and_then(|seen| seen.screen.activity.clone()),
            "signals": { "crash": crashed, "log_errors": errors },
            "actions_available": actions,
            "confidence": if observation.is_some() { 1.0 } else { 0.3 },
            "warnings": warnings,
        },
        "timing": call.request.timings.compact(),
    });
    Ok(match picture {
        Some((bytes, mime)) => Answer::picture(body, bytes, mime),
        None => Answer::body(body),
    })
}

/// What can be acted on, by the name it shows.
fn actionable(tree: &Tree) -> Vec<String> {
    let acts = tree.elements.iter().filter(|element| {
        let traits = &element.traits;
        traits.visible && (traits.clickable || traits.editable || traits.checkable)
    });
    acts.filter_map(|element| {
        let name = element.text.as_deref().or(element.description.as_deref()).or(element.resource_id.as_deref())?;
        let verb = if element.traits.editable { "type into" } else { "tap" };
        Some(format!("{verb} {}", name.chars().take(60).collect::<String>()))
    })
    .collect()
}
