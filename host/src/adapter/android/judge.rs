//! What an input's finished or stopped child means. An input is never repeated.

use handset_model::android::{classify_input_error, parse_am_start};
use handset_model::{Code, Failure};

use super::identity::{OTHER, other_device};
use super::shell::{last_line, lost, not_finished, server_started};
use crate::device::{Accepted, Input, Pinned};
use crate::process::{Output, ProcessError};

/// The end of every input's line: without it the line did not come to its end, whatever adb's own status says.
/// Devices before Android 7 give no other status.
pub(super) const DONE: &str = "echo handset:done:$?";

const MARK: &str = "handset:done:";

pub(super) fn judge(
    device: &Pinned,
    input: &Input,
    output: Result<&Output, &ProcessError>,
) -> Result<Accepted, Failure> {
    let output = match output {
        Ok(output) => output,
        Err(error @ ProcessError::Stopped { .. }) => {
            let failure = not_finished(error, Code::ActionTimeout, &format!("the device was {}", doing(input))).0;
            return Err(failure
                .with_retryable(false)
                .with_remedy("The input may have been delivered: look at the screen before repeating it."));
        }
        Err(error) => return Err(not_finished(error, Code::ActionTimeout, "").0),
    };
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if stdout.contains(OTHER) {
        return Err(other_device(device));
    }
    let Some((said, status)) = stdout.rsplit_once(MARK) else {
        return Err(unknown_delivery(lost(device, output, &stderr).0));
    };
    if server_started(&stderr) {
        // A new server counts its transports anew: what was sent may have gone to another device.
        let message =
            format!("the adb server was restarted under this input; it may not have gone to {:?}", device.key.id);
        return Err(unknown_delivery(Failure::new(Code::DeviceOffline, message)));
    }
    let status: i32 = status.trim().parse().unwrap_or(-1);
    let all = format!("{said}\n{stderr}");
    if matches!(input, Input::StartApp { .. }) {
        let started = parse_am_start(&all)?;
        return Ok(Accepted { output: all.trim().to_owned(), launch_time_ms: started.total_time_ms });
    }
    if let Some(failure) = classify_input_error(&all) {
        return Err(failure);
    }
    if status != 0 {
        return Err(Failure::new(
            Code::ActionRejected,
            format!("the device refused the input with status {status}: {}", last_line(&all)),
        ));
    }
    Ok(Accepted { output: all.trim().to_owned(), launch_time_ms: None })
}

fn unknown_delivery(failure: Failure) -> Failure {
    failure
        .with_retryable(false)
        .with_remedy("Check the device with list_devices, and look at the screen before repeating the input.")
}

fn doing(input: &Input) -> &'static str {
    match input {
        Input::Tap { .. } => "tapping",
        Input::Swipe { .. } => "swiping",
        Input::Text(_) => "typing",
        Input::Back => "going back",
        Input::StartApp { .. } => "starting the app",
    }
}
