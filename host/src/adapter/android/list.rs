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
        let output = self.processes.run(command, budget).await.map_err(|error| {
            let failure = not_finished(&error, Code::Timeout, "listing devices").0;
            if failure.code == Code::Timeout { failure.with_remedy(SERVER) } else { failure }
        })?;
        let said = String::from_utf8_lossy(&output.stderr);
        if output.code != Some(0) {
            let all = format!("{said}\n{}", String::from_utf8_lossy(&output.stdout));
            return Err(classify_adb_error(&all).unwrap_or_else(|| {
                let how = output
                    .code
                    .map_or_else(|| "was ended by a signal".to_owned(), |code| format!("exited with status {code}"));
                let words = match last_line(&all) {
                    words if words.is_empty() => "printed nothing".to_owned(),
                    words => format!("said: {words}"),
                };
                let program = self.adb.path.display();
                Failure::new(Code::DeviceOffline, format!("devices could not be listed: {program} {how} and {words}"))
                    .with_remedy("Check that the configured adb is Android's adb, and that `adb devices` answers.")
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

    /// Whether adb can be run, and which one it is. What is wrong with devices stands in their listing.
    pub(super) async fn tools_health(&self, budget: &Budget) -> Health {
        let output = match self.processes.run(self.adb.command(["version"]), budget).await {
            Ok(output) => output,
            Err(error) => {
                let failure = not_finished(&error, Code::Timeout, "asking adb for its version").0;
                return Health { issues: vec![sentence(&failure)], ..Health::default() };
            }
        };
        let version = version(&String::from_utf8_lossy(&output.stdout));
        let mut issues = Vec::new();
        if output.code != Some(0) {
            let words = last_line(&String::from_utf8_lossy(&output.stderr));
            issues.push(format!("{} version failed: {words:?}.", self.adb.path.display()));
        }
        Health { available: output.code == Some(0), version, program: self.program_path(), issues }
    }
}

impl Android {
    /// Where adb is, as the system would find it.
    fn program_path(&self) -> Option<String> {
        let path = &self.adb.path;
        if path.components().count() > 1 {
            return Some(path.display().to_string());
        }
        let folders = std::env::var_os("PATH")?;
        let found = std::env::split_paths(&folders)
            .map(|folder| folder.join(path))
            .find_map(|path| [path.clone(), path.with_extension("exe")].into_iter().find(|path| path.is_file()));
        found.map(|path| path.display().to_string())
    }
}

/// What a listing that does not come points at.
const SERVER: &str =
    "Check the adb server: `adb devices` should answer at once; if it hangs, end it with `adb kill-server`.";

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
pub(super) fn version(text: &str) -> Option<String> {
    let after =
        |words: &str| text.lines().find_map(|line| line.trim().strip_prefix(words)).map(|rest| rest.trim().to_owned());
    after("Version ").or_else(|| after("Android Debug Bridge version "))
}
