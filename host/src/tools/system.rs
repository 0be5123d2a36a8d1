//! The server itself: health and plugins.

use std::time::Duration;

use handset_model::Failure;
use serde_json::{Value, json};

use super::{Answer, Call};

/// get_system_status in all (contract §4).
const STATUS: Duration = Duration::from_secs(5);

pub(super) async fn get_system_status(call: Call) -> Result<Answer, Failure> {
    let budget = call.budget(STATUS);
    let mut issues: Vec<String> = Vec::new();
    let mut adb = crate::device::Health::default();
    for adapter in call.house.adapters.iter().filter(|adapter| adapter.platform() == "android") {
        adb = adapter.health(&budget).await;
        issues.extend(adb.issues.iter().cloned());
    }
    let listed = if adb.available { call.house.devices(Some("android"), &budget).await } else { Ok(Vec::new()) };
    let devices = listed.unwrap_or_else(|failure| {
        issues.push(failure.message);
        Vec::new()
    });
    for device in devices.iter().filter(|device| !device.usable) {
        issues.push(format!(
            "{} is {}: {}",
            device.id,
            device.state,
            device.remedy.as_deref().unwrap_or("check the device")
        ));
    }
    let usable = devices.iter().filter(|device| device.usable).count();
    if adb.available && usable == 0 {
        issues.push("no usable Android device is attached".to_owned());
    }
    let status = match (adb.available, usable, issues.is_empty()) {
        (false, ..) | (_, 0, _) => "blocked",
        (true, _, true) => "ready",
        (true, _, false) => "degraded",
    };
    let states: Vec<Value> = devices.iter().map(|device| json!({ "id": device.id, "state": device.state })).collect();
    let body = json!({
        "success": status != "blocked",
        "status": status,
        "adbAvailable": adb.available,
        "adbVersion": adb.version,
        "devices": usable,
        "deviceStates": states,
        "logsAvailable": usable > 0,
        "envValid": adb.available,
        "issues": issues,
        "appInstalled": null,
        "iosAvailable": false,
        "iosDevices": 0,
        "summary": {
            "overall": status,
            "android": { "ready": usable > 0, "summary": format!("{usable} usable of {} attached", devices.len()), "blockers": issues },
            "ios": { "ready": false, "summary": "no iOS adapter in this build", "blockers": [] },
        },
    });
    Ok(Answer::body(body))
}

pub(super) async fn list_plugins(call: Call) -> Result<Answer, Failure> {
    // What is still compiling says so; the list itself waits for nothing.
    let _ = call.house.plugins.ready(&call.budget(STATUS)).await;
    Ok(Answer::body(json!({ "plugins": call.house.plugins.list() })))
}
