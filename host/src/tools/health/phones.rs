//! adb, its server, the devices, and what a device lets us read.

use std::time::Duration;

use handset_model::snapshot::DeviceKey;
use handset_model::{Code, Failure};

use super::super::House;
use super::super::sdk::Surroundings;
use super::{Area, Check, Examined, Verdict};
use crate::budget::Budget;
use crate::device::{Adapter, Listed, Pinned};

/// One question to one device, inside the whole.
const QUESTION: Duration = Duration::from_secs(2);

pub(super) async fn examine(house: &House, here: &Surroundings, examined: &mut Examined, budget: &Budget) {
    for adapter in house.adapters.iter().filter(|adapter| adapter.platform() == "android") {
        let health = adapter.health(budget).await;
        examined.adb = health.available;
        examined.adb_version.clone_from(&health.version);
        let found = match &health.program {
            Some(program) => format!("{} at {program}", health.version.as_deref().unwrap_or("no version told")),
            None => health.version.clone().unwrap_or_else(|| "no version told".to_owned()),
        };
        for issue in &health.issues {
            let check = Check::new(Area::Android, "adb", Verdict::Broken, issue.clone());
            examined.checks.push(check.fix(Code::ToolNotFound.remedy()));
        }
        if !health.available {
            continue;
        }
        if health.issues.is_empty() {
            examined.checks.push(Check::new(Area::Android, "adb", Verdict::Fine, found));
        }
        match house.devices(Some("android"), budget).await {
            Ok(listed) => devices(adapter.as_ref(), &listed, here, examined, budget).await,
            Err(failure) => {
                let name = if failure.code == Code::AdbVersionConflict { "adb server" } else { "devices" };
                examined.checks.push(broken(name, &failure));
            }
        }
    }
}

fn broken(name: &str, failure: &Failure) -> Check {
    let fix = failure.remedy.clone().unwrap_or_else(|| failure.code.remedy().to_owned());
    Check::new(Area::Android, name, Verdict::Broken, format!("{} ({})", failure.message, failure.code)).fix(fix)
}

async fn devices(
    adapter: &dyn Adapter,
    listed: &[Listed],
    here: &Surroundings,
    examined: &mut Examined,
    budget: &Budget,
) {
    examined.states = listed.iter().map(|device| (device.id.clone(), device.state.clone())).collect();
    examined.usable = listed.iter().filter(|device| device.usable).count();
    for device in listed.iter().filter(|device| !device.usable) {
        let fix = device.remedy.as_deref().unwrap_or("Check the device and its cable.");
        let found = format!("{} is {}", device.id, device.state);
        // Of several, one that works is enough to work with.
        examined.checks.push(Check::new(Area::Android, device.id.as_str(), Verdict::Warning, found).fix(fix));
    }
    if examined.usable == 0 {
        let fix = "Attach a phone with USB debugging on, or start an emulator; `adb devices` must show it as device.";
        let check = Check::new(Area::Android, "devices", Verdict::Broken, "no usable Android device is attached");
        return examined.checks.push(check.fix(fix));
    }
    let asked = listed.iter().filter(|device| device.usable).map(|device| ask(adapter, device, here, budget));
    for (device, told) in futures::future::join_all(asked).await {
        examined.logs |= told.logs == Some(true);
        examined.app = match (examined.app, told.app) {
            (Some(true), _) | (_, None) => examined.app,
            (_, app) => app,
        };
        examined.checks.push(told.check);
        if told.logs == Some(false) {
            let fix = "See whether `adb logcat -d -t 1` prints a line; some makers' phones need logging switched on in the developer options.";
            let found = format!("{device} gives no log");
            examined.checks.push(Check::new(Area::Android, "logs", Verdict::Warning, found).fix(fix));
        }
    }
    if let (Some(false), Some(app)) = (examined.app, here.target_app()) {
        let check = Check::new(Area::Android, "app", Verdict::Note, format!("{app} is not installed"));
        examined.checks.push(check.fix("Install it with install_app, or name another in MCP_TARGET_PACKAGE."));
    }
}

/// What one device told.
struct Told {
    check: Check,
    logs: Option<bool>,
    app: Option<bool>,
}

async fn ask(adapter: &dyn Adapter, device: &Listed, here: &Surroundings, budget: &Budget) -> (String, Told) {
    let pinned = Pinned {
        key: DeviceKey { platform: device.platform, id: device.id.clone() },
        connection: device.connection,
        model: device.model.clone(),
    };
    let budget = budget.child(QUESTION);
    let check = match adapter.facts(&pinned, &budget).await {
        Ok(facts) if facts.os_version.is_empty() => {
            let check =
                Check::new(Area::Android, device.id.as_str(), Verdict::Warning, "it does not tell its properties");
            check.fix("Restart the device if it stays so.")
        }
        Ok(facts) => {
            let kind = if facts.simulator { "emulator" } else { "device" };
            let found = format!("{kind} {}, Android {}", facts.model, facts.os_version);
            Check::new(Area::Android, device.id.as_str(), Verdict::Fine, found)
        }
        Err(failure) => Check { verdict: Verdict::Warning, ..broken(&device.id, &failure) },
    };
    let logs = adapter.logs_available(&pinned, &budget).await.ok();
    let app = match here.target_app() {
        Some(app) => adapter.installed(&pinned, &app, &budget).await.ok(),
        None => None,
    };
    (device.id.clone(), Told { check, logs, app })
}
