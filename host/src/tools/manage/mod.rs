//! Devices and apps.

mod app;
mod artefact;
mod device;
mod install;
mod lifecycle;

pub(super) use app::{grant_permission, reset_app_data, restart_app, revoke_permission, start_app, terminate_app};
pub(super) use artefact::find;
pub(super) use device::{
    boot_device, get_clipboard, open_url, set_clipboard, set_location, set_orientation, shutdown_device,
};
pub(super) use install::{install, install_app};
pub(super) use lifecycle::answer;

use std::time::Duration;

use handset_model::Failure;
use serde_json::{Value, json};

use super::args::ListDevicesArgs;
use super::{Answer, Call};
use crate::budget::Budget;
use crate::device::{Listed, Pinned};

/// list_devices in all (contract §4).
const LISTING: Duration = Duration::from_secs(5);

pub(super) async fn list_devices(call: Call) -> Result<Answer, Failure> {
    let args: ListDevicesArgs = call.parse()?;
    let budget = call.budget(LISTING);
    let platform = args.platform.map(super::args::Platform::as_str);
    let listed = call.house.devices(platform, &budget).await?;
    let described = listed.iter().map(|device| describe(&call, device, args.app_id.as_deref(), &budget));
    let devices: Vec<Value> = futures::future::join_all(described).await;
    Ok(Answer::body(json!({ "devices": devices, "timing": call.request.timings.compact() })))
}

/// What can be told of one device; one that does not answer is still listed, with what is known.
async fn describe(call: &Call, device: &Listed, app_id: Option<&str>, budget: &Budget) -> Value {
    let mut shown = json!({
        "id": device.id,
        "platform": device.platform,
        "state": device.state,
        "model": device.model,
    });
    if let Some(remedy) = &device.remedy {
        shown["remedy"] = json!(remedy);
    }
    let adapter = call.house.adapters.iter().find(|adapter| adapter.platform() == device.platform);
    let Some(adapter) = adapter.filter(|_| device.usable) else { return shown };
    let pinned = Pinned {
        key: handset_model::snapshot::DeviceKey { platform: device.platform, id: device.id.clone() },
        connection: device.connection,
        model: device.model.clone(),
    };
    match adapter.facts(&pinned, budget).await {
        Ok(facts) => {
            shown["osVersion"] = json!(facts.os_version);
            shown["model"] = json!(facts.model);
            shown["simulator"] = json!(facts.simulator);
        }
        Err(failure) => shown["error"] = failure.to_json(),
    }
    if let Some(app_id) = app_id {
        shown["appInstalled"] = match adapter.installed(&pinned, app_id, budget).await {
            Ok(installed) => json!(installed),
            Err(_) => Value::Null,
        };
    }
    shown
}
