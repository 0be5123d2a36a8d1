//! Starting an emulator of the Android SDK: its program found, its virtual device chosen, its start waited for.

use std::path::PathBuf;
use std::time::Duration;

use handset_model::{Code, Failure};
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::Android;
use super::manage::is_emulator;
use super::shell::{Script, last_line, not_finished};
use crate::budget::Budget;
use crate::device::{Boot, Booted, Listed, Pinned};
use crate::process::{Output, ProcessError, Program};

/// Console ports that adb looks for emulators at; each has its device's port after it.
const PORTS: std::ops::RangeInclusive<u16> = 5554..=5682;

/// Between two looks at whether it has started.
const AGAIN: Duration = Duration::from_millis(500);

/// Listing virtual devices reads a few files.
const LISTING: Duration = Duration::from_secs(15);

/// As long as the server.
const ALWAYS: Duration = Duration::from_secs(10 * 365 * 24 * 3_600);

const REMEDY: &str = "Install the Android SDK's emulator, and set ANDROID_HOME to the SDK's folder.";

impl Android {
    pub(super) async fn boot_emulator(&self, wanted: &Boot, budget: &Budget) -> Result<Booted, Failure> {
        let program = Program { env: self.adb.env.clone(), ..Program::new(find()?) };
        let avd = self.choose(&program, wanted.avd.as_deref(), budget).await?;
        let listed = self.devices(budget).await?;
        for device in listed.iter().filter(|device| device.usable) {
            if self.avd_of(device, budget).await.as_deref() == Some(avd.as_str()) {
                let booted = Booted { id: device.id.clone(), avd, already: true, failure: None };
                return Ok(self.until_booted(booted, None, budget).await);
            }
        }
        let port = free_port(&listed)?;
        let child = self.start(&program, &avd, port, wanted.headless);
        let booted = Booted { id: format!("emulator-{port}"), avd, already: false, failure: None };
        Ok(self.until_booted(booted, Some(child), budget).await)
    }

    /// The virtual device that is meant.
    async fn choose(&self, program: &Program, wanted: Option<&str>, budget: &Budget) -> Result<String, Failure> {
        let listing = self.processes.run(program.command(["-list-avds"]), &budget.child(LISTING)).await;
        let output = listing.map_err(|error| {
            not_finished(&error, Code::ActionTimeout, "listing the emulator's virtual devices").0.with_remedy(REMEDY)
        })?;
        let avds = avds(&String::from_utf8_lossy(&output.stdout));
        let candidates = || avds.iter().map(|avd| json!(avd)).collect();
        match (wanted, avds.as_slice()) {
            (Some(wanted), _) if avds.iter().any(|avd| avd == wanted) => Ok(wanted.to_owned()),
            (_, []) => Err(Failure::argument("avd", "the emulator has no virtual device")
                .with_remedy("Create one with avdmanager or Android Studio.")),
            (Some(wanted), _) => Err(Failure::argument("avd", format!("there is no virtual device {wanted:?}"))
                .with_candidates(candidates())),
            (None, [one]) => Ok(one.clone()),
            (None, several) => {
                let message = format!("there are {} virtual devices and avd names none", several.len());
                Err(Failure::argument("avd", message).with_candidates(candidates()))
            }
        }
    }

    /// Which virtual device an emulator that runs is; its console tells.
    async fn avd_of(&self, device: &Listed, budget: &Budget) -> Option<String> {
        if !is_emulator(&device.id) {
            return None;
        }
        let command = self.adb.command(["-s", &device.id, "emu", "avd", "name"]);
        let output = self.processes.run(command, &budget.child(Duration::from_secs(3))).await.ok()?;
        let said = String::from_utf8_lossy(&output.stdout);
        said.lines().map(str::trim).find(|line| !line.is_empty() && *line != "OK").map(str::to_owned)
    }

    /// A child of this server, which ends with it; what it said last is told when it ends before.
    fn start(&self, program: &Program, avd: &str, port: u16, headless: bool) -> Child {
        let mut words = vec!["-avd".to_owned(), avd.to_owned(), "-port".to_owned(), port.to_string()];
        words.push("-no-boot-anim".to_owned());
        if headless {
            words.extend(["-no-window", "-no-audio"].map(str::to_owned));
        }
        let (ended, watching) = watch::channel(None);
        let cancel = CancellationToken::new();
        let (processes, command) = (self.processes.clone(), program.command(words));
        let budget = Budget::new(ALWAYS, cancel.clone());
        tokio::spawn(async move {
            let said = how(processes.run(command, &budget).await);
            // Nobody may be waiting any more.
            let _ = ended.send(Some(said));
        });
        Child { ended: watching, cancel }
    }

    /// Waits until the device itself says that it has booted.
    async fn until_booted(&self, mut booted: Booted, child: Option<Child>, budget: &Budget) -> Booted {
        loop {
            if self.has_booted(&booted.id, budget).await {
                return booted;
            }
            if let Some(said) = child.as_ref().and_then(|child| child.ended.borrow().clone()) {
                let message = format!("the emulator ended before it had started: {said}");
                booted.failure = Some(Failure::new(Code::ActionRejected, message).with_remedy(
                    "Start it by hand (emulator -avd NAME) to see all it says; a machine without KVM cannot run it.",
                ));
                return booted;
            }
            let Err(stopped) = budget.pause(AGAIN).await else { continue };
            let failure = stopped.failure(Code::ActionTimeout, &format!("{} was starting", booted.id));
            let failure = match (stopped, &child) {
                (crate::budget::Stopped::Cancelled, Some(child)) => {
                    child.cancel.cancel();
                    failure
                }
                _ => failure.with_remedy("It goes on starting: look with list_devices, or give it more timeoutMs."),
            };
            booted.failure = Some(failure.with_retryable(false));
            return booted;
        }
    }

    async fn has_booted(&self, id: &str, budget: &Budget) -> bool {
        let Ok(listed) = self.devices(budget).await else { return false };
        let Some(device) = listed.into_iter().find(|device| device.id == id && device.usable) else { return false };
        let pinned = Pinned {
            key: handset_model::snapshot::DeviceKey { platform: "android", id: device.id },
            connection: device.connection,
            model: device.model,
        };
        let script = Script::new().part("booted", "getprop sys.boot_completed");
        let budget = budget.child(Duration::from_secs(5));
        let reply = self.ask(&pinned, &script, "asking whether it has booted", &budget).await;
        reply.is_ok_and(|reply| reply.answer("booted") == "1")
    }
}

/// An emulator that was started here.
struct Child {
    /// What it said as it ended.
    ended: watch::Receiver<Option<String>>,
    cancel: CancellationToken,
}

fn how(end: Result<Output, ProcessError>) -> String {
    match end {
        Ok(output) => {
            let said =
                format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            match output.code {
                Some(code) => format!("status {code}, {:?}", last_line(&said)),
                None => format!("a signal ended it, {:?}", last_line(&said)),
            }
        }
        Err(error) => error.to_string(),
    }
}

/// `emulator` of the SDK the environment names, else of PATH.
fn find() -> Result<PathBuf, Failure> {
    let name = format!("emulator{}", std::env::consts::EXE_SUFFIX);
    let sdks = ["ANDROID_HOME", "ANDROID_SDK_ROOT"].into_iter().filter_map(std::env::var_os);
    let inside = sdks.filter(|sdk| !sdk.is_empty()).map(|sdk| PathBuf::from(sdk).join("emulator").join(&name));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join(&name)).collect::<Vec<_>>();
    inside.chain(on_path).find(|file| file.is_file()).ok_or_else(|| {
        Failure::new(
            Code::ToolNotFound,
            "the Android SDK's emulator was not found in ANDROID_HOME, ANDROID_SDK_ROOT or PATH",
        )
        .with_remedy(REMEDY)
    })
}

/// Names of virtual devices, one a line; newer emulators log beside them.
pub(super) fn avds(text: &str) -> Vec<String> {
    let name = |line: &&str| {
        !line.is_empty()
            && !line.starts_with('-')
            && line.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
    };
    text.lines().map(str::trim).filter(name).map(str::to_owned).collect()
}

/// The first pair of ports that no emulator has.
fn free_port(listed: &[Listed]) -> Result<u16, Failure> {
    let free = |port: &u16| {
        !listed.iter().any(|device| device.id == format!("emulator-{port}"))
            && [*port, port + 1].into_iter().all(|port| std::net::TcpListener::bind(("127.0.0.1", port)).is_ok())
    };
    PORTS.step_by(2).find(free).ok_or_else(|| {
        Failure::new(Code::ActionRejected, "every port an emulator may have is taken")
            .with_remedy("Shut an emulator down first.")
    })
}

#[cfg(test)]
mod tests {
    use super::avds;

    #[test]
    fn what_an_emulator_logs_names_no_virtual_device() {
        let text = "INFO    | Storing crashdata in: /tmp/x, detection is enabled\nPixel_9_API_36\r\nMedium-Phone.1\n\nHAX is working\n";
        assert_eq!(avds(text), ["Pixel_9_API_36", "Medium-Phone.1"]);
    }
}
