//! An observation as `get_ui_tree` and a blocked guard show it.

use handset_model::snapshot::Observation;
use handset_model::ui::{ElementView, Limitation, element_json};
use serde_json::{Map, Value, json};

use crate::device::{DeviceFacts, Pinned};

/// The contract's `device` member.
#[must_use]
pub fn device_json(pinned: &Pinned, facts: Option<&DeviceFacts>) -> Value {
    let mut device = json!({ "platform": pinned.key.platform, "id": pinned.key.id });
    if let Some(facts) = facts {
        device["osVersion"] = json!(facts.os_version);
        device["model"] = json!(facts.model);
        device["simulator"] = json!(facts.simulator);
    } else if let Some(model) = &pinned.model {
        device["model"] = json!(model);
    }
    device
}

/// A whole tree: device, screen, resolution, session, revision, what is known of the whole, `elements`.
/// `keep` chooses elements by position; `None` shows all.
#[must_use]
pub fn tree_json(device: Value, observation: &Observation, keep: Option<&[u32]>) -> Value {
    let tree = &observation.tree;
    let mut body = Map::new();
    body.insert("device".into(), device);
    // Upstream's trees name no screen; ours do where the read brought the activity.
    body.insert("screen".into(), json!(observation.screen.activity.as_deref().unwrap_or("")));
    body.insert("resolution".into(), json!(tree.resolution));
    body.insert("snapshot_session_id".into(), json!(&*observation.session_id));
    body.insert("snapshot_revision".into(), json!(observation.revision));
    body.insert("captured_at_ms".into(), json!(observation.captured_at_ms));
    facts(&mut body, observation);
    let count = u32::try_from(tree.elements.len()).unwrap_or(u32::MAX);
    let element = |index: u32| element_json(tree, index, ElementView::Tree, None);
    let elements: Vec<Value> = match keep {
        Some(indexes) => indexes.iter().map(|index| with_index(element(*index), *index)).collect(),
        None => (0..count).map(element).collect(),
    };
    body.insert("elements".into(), Value::Array(elements));
    Value::Object(body)
}

/// Facts about the whole tree; absent where there is nothing to say.
pub(crate) fn facts(body: &mut Map<String, Value>, observation: &Observation) {
    let tree = &observation.tree;
    if let Some(package) = tree.package.as_ref().or(observation.screen.package.as_ref()) {
        body.insert("package".into(), json!(package));
    }
    body.insert("node_count".into(), json!(tree.node_count));
    if tree.rotation != 0 {
        body.insert("rotation".into(), json!(tree.rotation));
    }
    if tree.elided > 0 {
        body.insert("elided".into(), json!(tree.elided));
    }
    if tree.replaced_characters > 0 {
        body.insert("replaced_characters".into(), json!(tree.replaced_characters));
    }
    if let Some(keyboard) = &tree.keyboard {
        let mut shown = json!({ "shown": keyboard.shown });
        if let Some(bounds) = keyboard.bounds {
            shown["bounds"] = json!(bounds.to_array());
        }
        body.insert("keyboard".into(), shown);
    }
    if !tree.limitations.is_empty() {
        let limitation =
            |limitation: &Limitation| json!({ "limitation": limitation.as_str(), "remedy": limitation.remedy() });
        body.insert("limitations".into(), tree.limitations.iter().map(limitation).collect());
    }
}

/// In a filtered list, position no longer tells which element it is.
fn with_index(mut element: Value, index: u32) -> Value {
    if let Value::Object(members) = &mut element {
        members.insert("index".into(), json!(index));
    }
    element
}
