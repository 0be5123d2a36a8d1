//! What is attached, and the state of adb itself.

use handset_model::android::{DeviceState, classify_adb_error, parse_devices, state_remedy};
use handset_model::{Code, Failure};

use super::Android;
use super::shell::{last_line, not_finished};
use crate::budget::Budget;
use crate::device::{Health, Listed};

impl Android {
    /// `adb devices -l`. adb's chatter about its server is no failure as long as a list comes.
    pub(super) async fn devices(&self, budget: &Budget) -> Result<Vec<Listed>, Failure> {
        let command = self.adb.command(["devices", "-l"]);
        let output = self
            .processes
            .run(command, budget)
            .await
            .map_err(|error| not_finished(&error, Code::Timeout, "listing devices").0)?;
        let said = String::from_utf8_lossy(&output.stderr);
        if output.code != Some(0) {
            let all = format!("{said}\n{}", String::from_utf8_lossy(&output.stdout));
            return Err(classify_adb_error(&all).unwrap_or_else(|| {
                Failure::new(Code::DeviceOffline, format!("adb could not list devices: {}", last_line(&all)))
            }));
        }
        let listed: Vec<Listed> =
            parse_devices(&String::from_utf8_lossy(&output.stdout)).into_iter().map(listed).collect();
        if said.contains("doesn't match this client") {
            // adb ended the other server and started its own. With devices the call can go on; without, this is why.
            tracing::warn!("another adb version's server was running and has been replaced");
            if !listed.iter().any(|device| device.usable) {
                return Err(Failure::new(
                    Code::AdbVersionConflict,
                    format!("another adb version's server was running: {}", conflict_line(&said)),
                ));
            }
        }
        Ok(listed)
    }

    /// Whether adb can be run, which one it is, and what is wrong with what it lists.
    pub(super) async fn tools_health(&self, budget: &Budget) -> Health {
        let output = match self.processes.run(self.adb.command(["version"]), budget).await {
            Ok(output) => output,
            Err(error) => {
                let failure = not_finished(&error, Code::Timeout, "asking adb for its version").0;
                return Health { available: false, version: None, issues: vec![sentence(&failure)] };
            }
        };
        let version = version(&String::from_utf8_lossy(&output.stdout));
        let mut issues = Vec::new();
        if output.code != Some(0) {
            issues.push(format!("adb version failed: {}.", last_line(&String::from_utf8_lossy(&output.stderr))));
        }
        match self.devices(budget).await {
            Ok(devices) => issues.extend(devices.iter().filter(|device| !device.usable).map(|device| {
                format!("{} is {}. {}", device.id, device.state, device.remedy.as_deref().unwrap_or_default())
                    .trim_end()
                    .to_owned()
            })),
            Err(failure) => issues.push(sentence(&failure)),
        }
        Health { available: output.code == Some(0), version, issues }
    }
}

fn listed(device: handset_model::android::ListedDevice) -> Listed {
    let (state, usable, remedy) = match &device.state {
        DeviceState::Device => ("device".to_owned(), true, None),
        other @ DeviceState::Other(name) => (name.clone(), false, Some(state_remedy(other).to_owned())),
    };
    Listed {
        platform: "android",
        id: device.serial,
        state,
        usable,
        remedy,
        connection: device.transport_id.unwrap_or(0),
        model: device.model,
    }
}

fn conflict_line(said: &str) -> &str {
    said.lines().find(|line| line.contains("doesn't match this client")).unwrap_or_default().trim()
}

fn sentence(failure: &Failure) -> String {
    format!("{} ({}). {}", failure.message, failure.code, failure.remedy.as_deref().unwrap_or(failure.code.remedy()))
}

/// The platform-tools version, such as `35.0.2-12147458`; else adb's own, such as `1.0.41`.
fn version(text: &str) -> Option<String> {
    let after =
        |words: &str| text.lines().find_map(|line| line.trim().strip_prefix(words)).map(|rest| rest.trim().to_owned());
    after("Version ").or_else(|| after("Android Debug Bridge version "))
}
