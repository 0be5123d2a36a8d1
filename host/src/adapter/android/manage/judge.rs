//! What the ends of managing commands mean.

use handset_model::android::{
    InstallEnd, Managing, Refusal, classify_managing, parse_am_start, parse_console, parse_install,
};
use handset_model::{Code, Failure};
use tokio::time::Instant;

use super::super::Android;
use super::super::judge::{never, perhaps};
use super::super::shell::{lost, never_sent, not_finished};
use crate::device::{Accepted, Leftover, Manage, Pinned, Refused};
use crate::process::{Output, ProcessError};

const NO_APP: &str = "No app of this user opens such a URL: install one, or pass another appId.";
const LOOK: &str = "It may have been done: look before repeating it.";
const INSTALL: &str = "The install may have gone through: ask with list_devices and appId, or look at the screen before repeating it; give it more timeoutMs.";

impl Manage {
    /// Done by words of adb, not by a line of the device's shell.
    pub(in super::super) fn is_of_adb(&self) -> bool {
        matches!(self, Self::Install { .. } | Self::Location { .. } | Self::Shutdown)
    }

    /// What a device did when time ran out.
    pub(in super::super) fn doing(&self) -> &'static str {
        match self {
            Self::Terminate { .. } => "ending the app",
            Self::Reset { .. } => "resetting the app",
            Self::Permission { granted: true, .. } => "granting the permission",
            Self::Permission { .. } => "revoking the permission",
            Self::Install { .. } => "installing the app",
            Self::OpenUrl { .. } => "opening the URL",
            Self::Orientation(_) => "turning its screen",
            Self::Location { .. } => "being given a location",
            Self::SetClipboard { .. } => "taking the text",
            Self::Shutdown => "shutting down",
        }
    }
}

/// Judges a line of the device's shell that came to its end.
pub(in super::super) fn judged(what: &Manage, said: &str, status: i32) -> Option<Refusal> {
    let doing = match what {
        Manage::OpenUrl { .. } => {
            let mut refusal = parse_am_start(said).err()?;
            if said.contains("unable to resolve") {
                refusal.failure = refusal.failure.with_remedy(NO_APP);
            }
            return Some(refusal);
        }
        Manage::Terminate { .. } => Managing::Terminate,
        Manage::Reset { .. } => Managing::Reset,
        Manage::Permission { .. } => Managing::Permission,
        _ => Managing::Setting,
    };
    classify_managing(doing, said, status)
}

impl Android {
    /// Judges what adb itself did.
    pub(in super::super) fn judge_adb(
        &self,
        device: &Pinned,
        what: &Manage,
        output: Result<&Output, &ProcessError>,
    ) -> Result<Accepted, Box<Refused>> {
        let (output, stopped) = match output {
            Ok(output) => (output, None),
            Err(ProcessError::Stopped { why, partial }) => (partial, Some(*why)),
            Err(error) => return Err(never(not_finished(error, Code::ActionTimeout, "").0)),
        };
        let stderr = String::from_utf8_lossy(&output.stderr);
        let said = format!("{}\n{stderr}", String::from_utf8_lossy(&output.stdout));
        let accepted = || Ok(Accepted { output: said.trim().to_owned(), ..Accepted::default() });
        if !matches!(what, Manage::Install { .. }) && stopped.is_none() {
            return match parse_console(&said) {
                Ok(()) => accepted(),
                Err(Refusal { failure, nothing_done: true }) => Err(never(failure)),
                Err(Refusal { failure, .. }) => Err(perhaps(failure.with_remedy(LOOK), None)),
            };
        }
        match parse_install(&said) {
            InstallEnd::Installed => return accepted(),
            InstallEnd::Refused(failure) => return Err(never(failure)),
            InstallEnd::Unseen => {}
        }
        if let Some(why) = stopped {
            let doing = format!("the device was {}", what.doing());
            let remedy = if matches!(what, Manage::Install { .. }) { INSTALL } else { LOOK };
            let failure = why.failure(Code::ActionTimeout, &doing).with_remedy(remedy);
            // What adb had sent until then is thrown away by the device as its stream ends.
            return Err(perhaps(failure, Some(Leftover { pid: None, note: None, until: Instant::now() + LATE })));
        }
        let failure = lost(device, &stderr).0;
        if never_sent(output) || said.contains("failed to get feature set") {
            return Err(never(failure));
        }
        if output.code == Some(0) || failure.code != Code::DeviceOffline {
            let message = format!("adb did not say how it went: {:?}", super::super::shell::last_line(&said));
            return Err(perhaps(Failure::new(Code::DeviceOffline, message).with_remedy(LOOK), None));
        }
        Err(perhaps(failure.with_remedy(INSTALL), None))
    }
}

/// A stream that was cut is closed on the device within this.
const LATE: std::time::Duration = std::time::Duration::from_secs(3);
