//! What an input's finished or stopped child means: what became of it, whether it may have arrived, and what it may have
//! left running. An input is never repeated.

use std::time::Duration;

use handset_model::android::{Managing, Refusal, classify_input, classify_managing, parse_am_start};
use handset_model::{Code, Failure};
use serde_json::json;
use tokio::time::Instant;

use super::gestures::{DOUBLE_TAP, TAP_MARK, UNSENT, tap_gap};
use super::identity::{OTHER, other_device};
use super::shell::{lost, never_sent, not_finished, server_started};
use super::typing::{LEFT, unbound};
use super::{Android, launch, manage};
use crate::device::{Accepted, Input, Leftover, Pinned, Prepared, Reached, Refused};
use crate::process::{Output, ProcessError};

/// In an input's line: how a stroke says its number, and the pid it will have, as it begins.
pub(super) const SAY: &str = r#"s='echo handset:stroke:$0:$$; exec "$@"'"#;

const STROKE: &str = "handset:stroke:";

/// The end of every input's line: without it the line did not come to its end, whatever adb's own status says.
/// Devices before Android 7 give no other status.
pub(super) const DONE: &str = "echo handset:done:$?";

const MARK: &str = "handset:done:";

/// Bytes kept of what an input prints: an accepted one may be noisy, and its end is what tells.
pub(super) const OUTPUT: usize = 4 << 20;

/// An input's JVM has started, and injected what is no gesture, within this.
const INPUT: Duration = Duration::from_secs(10);

/// What has not begun on the device this long after adb was ended is not going to: its stream is closed.
const LATE: Duration = Duration::from_secs(3);

impl Android {
    pub(super) fn judge_input(
        &self,
        device: &Pinned,
        prepared: &Prepared,
        began: Instant,
        output: Result<&Output, &ProcessError>,
    ) -> Result<Accepted, Box<Refused>> {
        if let Input::Manage { what, .. } = &prepared.input
            && what.is_of_adb()
        {
            return self.judge_adb(device, what, output);
        }
        let (output, stopped) = match output {
            Ok(output) => (output, None),
            Err(ProcessError::Stopped { why, partial }) => (partial, Some(*why)),
            Err(error) => return Err(never(not_finished(error, Code::ActionTimeout, "").0)),
        };
        let said = Said::of(output);
        if said.other_device {
            self.suspect(device);
            return Err(never(other_device(device)));
        }
        let progress = said.progress(prepared);
        let Some(status) = said.status else {
            let leftover = said.leftover(prepared, began);
            if let Some(why) = stopped {
                let doing = format!("the device was {}{progress}", doing(&prepared.input));
                return Err(perhaps(why.failure(Code::ActionTimeout, &doing).with_remedy(LOOK), Some(leftover)));
            }
            let mut failure = lost(device, &said.stderr).0;
            if never_sent(output) {
                return Err(never(failure));
            }
            if output.truncated {
                let message = format!("the input printed more than {OUTPUT} bytes, so that its end was not seen");
                failure = Failure::new(Code::ActionRejected, message);
            }
            failure.message.push_str(&progress);
            // A stream that ended before a stroke had said that it begins ended the line, too.
            return Err(perhaps(failure.with_remedy(CHECK), said.stroke.map(|_| leftover)));
        };
        if server_started(&said.stderr) && !self.is_guarded(device) {
            // A new server counts its transports anew: what was sent may have gone to another device.
            let message =
                format!("the adb server was restarted under this input; it may not have gone to {:?}", device.key.id);
            return Err(perhaps(Failure::new(Code::DeviceOffline, message).with_remedy(CHECK), None));
        }
        let all = format!("{}\n{}", said.last, said.stderr);
        if let Some(failure) = unbound(&prepared.input, &said.body) {
            return Err(if said.typed() == 0 && said.stroke.is_none() {
                never(failure)
            } else {
                perhaps(failure, None)
            });
        }
        match judged(&prepared.input, said.typed(), &all, status) {
            Ok(launch_time_ms) => {
                if said.left(&prepared.input) {
                    return Ok(Accepted {
                        doubt: Some(IME_LEFT.to_owned()),
                        output: all.trim().to_owned(),
                        ..Accepted::default()
                    });
                }
                let unsent = said.unsent(&prepared.input);
                let mut accepted =
                    Accepted { launch_time_ms, unsent, way: launch::way(&all), ..said.double_tap(&prepared.input) };
                if unsent {
                    accepted.details.insert("note".into(), json!("the keyboard was gone by then; nothing was sent"));
                } else {
                    accepted.output = all.trim().to_owned();
                }
                Ok(accepted)
            }
            Err(Refusal { failure, nothing_done: true }) if said.typed() == 0 && !said.tapped() => Err(never(failure)),
            Err(Refusal { mut failure, .. }) => {
                failure.message.push_str(&progress);
                Err(perhaps(failure.with_remedy(LOOK), None))
            }
        }
    }
}

const IME_LEFT: &str =
    "the text was sent, and the input method from before could not be set again: set it in the device's settings";

const LOOK: &str = "The input may have been delivered: look at the screen before repeating it.";

const CHECK: &str = "Check the device with list_devices, and look at the screen before repeating the input.";

/// `before` strokes of the input were accepted already.
fn judged(input: &Input, before: u32, said: &str, status: i32) -> Result<Option<u64>, Refusal> {
    let accepted = |refusal: Option<Refusal>| refusal.map_or(Ok(None), Err);
    match input {
        Input::RestartApp { .. } if before == 0 => accepted(classify_managing(Managing::Terminate, said, status)),
        Input::StartApp { .. } | Input::RestartApp { .. } => parse_am_start(said).map(|started| started.total_time_ms),
        Input::Manage { what, .. } => accepted(manage::judged(what, said, status)),
        _ => accepted(classify_input(said, status)),
    }
}

pub(super) fn never(failure: Failure) -> Box<Refused> {
    Box::new(Refused { failure, reached: Reached::No, leftover: None })
}

pub(super) fn perhaps(failure: Failure, leftover: Option<Leftover>) -> Box<Refused> {
    Box::new(Refused { failure: failure.with_retryable(false), reached: Reached::Perhaps, leftover })
}

/// What an input's line said.
pub(super) struct Said {
    stderr: String,
    /// What came of the last stroke that began.
    pub(super) last: String,
    /// That stroke's number, and its pid on the device.
    pub(super) stroke: Option<(u32, u32)>,
    /// The status of the line's end; `None` when that was not seen.
    pub(super) status: Option<i32>,
    other_device: bool,
    /// All of it, without its end.
    body: String,
}

impl Said {
    pub(super) fn of(output: &Output) -> Self {
        let stdout = String::from_utf8_lossy(&output.stdout);
        let (body, status) = match stdout.rsplit_once(MARK) {
            Some((body, status)) => (body, Some(status.trim().parse().unwrap_or(-1))),
            None => (stdout.as_ref(), None),
        };
        let mut begun = body.rmatch_indices(STROKE).filter_map(|(at, mark)| stroke(body.get(at + mark.len()..)?));
        let (stroke, last) = match begun.next() {
            Some((number, pid, rest)) => (Some((number, pid)), rest),
            None => (None, body),
        };
        Self {
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            last: last.to_owned(),
            stroke,
            status,
            other_device: stdout.contains(OTHER),
            body: body.to_owned(),
        }
    }

    /// One of two taps was accepted.
    fn tapped(&self) -> bool {
        self.body.contains(&format!("{TAP_MARK}0:"))
    }

    /// The input method that typed is still set.
    fn left(&self, input: &Input) -> bool {
        matches!(input, Input::Text(_)) && self.body.contains(LEFT)
    }

    /// The line found nothing to send.
    fn unsent(&self, input: &Input) -> bool {
        matches!(input, Input::HideKeyboard) && self.stroke.is_none() && self.body.contains(UNSENT)
    }

    /// What lay between the taps, and whether an app can have taken them for one double tap.
    fn double_tap(&self, input: &Input) -> Accepted {
        let mut accepted = Accepted::default();
        if !matches!(input, Input::DoubleTap { .. }) {
            return accepted;
        }
        let gap = tap_gap(&self.body);
        accepted.details.insert("tap_gap_ms".into(), json!(gap));
        accepted.details.insert("double_tap_window_ms".into(), json!(DOUBLE_TAP));
        accepted.doubt = match gap {
            Some(gap) if gap <= DOUBLE_TAP => None,
            Some(gap) => Some(format!(
                "the two taps came {gap} ms apart, and an app takes them for a double tap within {DOUBLE_TAP} ms"
            )),
            None => Some("the device did not tell how far apart the two taps came".to_owned()),
        };
        accepted
    }

    /// Strokes that were accepted before the last one that began.
    fn typed(&self) -> u32 {
        self.stroke.map_or(0, |(number, _)| number.saturating_sub(1))
    }

    /// How far an input of several strokes came, as the end of a sentence.
    fn progress(&self, prepared: &Prepared) -> String {
        match self.stroke {
            Some(_) if prepared.strokes > 1 && !matches!(prepared.input, Input::RestartApp { .. }) => {
                format!("; {} of {} strokes were typed", self.typed(), prepared.strokes)
            }
            _ => String::new(),
        }
    }

    /// What may still be running, when the line's end was not seen.
    fn leftover(&self, prepared: &Prepared, began: Instant) -> Leftover {
        let (now, gesture) = (Instant::now(), Duration::from_millis(u64::from(prepared.gesture_ms)));
        let until = match self.stroke {
            // Several strokes begin one after the other, the last one at any time until now.
            Some(_) if prepared.strokes > 1 => now + INPUT,
            Some(_) => (began + gesture + INPUT).max(now + LATE),
            None => now + gesture + LATE,
        };
        Leftover { pid: self.stroke.map(|(_, pid)| pid), note: None, until }
    }
}

/// `NUMBER:PID` and its line's end, without which a pid is not whole; and what comes after it.
fn stroke(text: &str) -> Option<(u32, u32, &str)> {
    // Two numbers are short: a device that says the mark again and again is not searched to its end each time.
    let end = text.bytes().take(64).position(|byte| byte == b'\n')?;
    let (line, rest) = (text.get(..end)?, text.get(end + 1..)?);
    let (number, pid) = line.trim().split_once(':')?;
    Some((number.parse().ok()?, pid.parse().ok()?, rest))
}

fn doing(input: &Input) -> &'static str {
    match input {
        Input::Tap { .. } => "tapping",
        Input::Swipe { .. } => "swiping",
        Input::LongPress { .. } => "pressing",
        Input::DoubleTap { .. } => "tapping twice",
        Input::Drag { .. } => "dragging",
        Input::Pinch => "pinching",
        Input::Key(_) => "pressing a key",
        Input::HideKeyboard => "hiding the keyboard",
        Input::Text(_) => "typing",
        Input::Back => "going back",
        Input::StartApp { .. } => "starting the app",
        Input::RestartApp { .. } => "restarting the app",
        Input::Manage { what, .. } => what.doing(),
    }
}
