//! Input as one shell line, so that it is one child and can be guarded. Nothing here is spawned.

use std::time::Duration;

use handset_model::{Code, Failure};

use super::Android;
use super::gestures::{self, Line};
use super::{judge, launch};
use crate::budget::Budget;
use crate::device::{Input, Pinned, Prepared};
use crate::process::Command;

/// A device before Android 7 takes 4 096 bytes in one service name; a longer line is several children.
const LINE: usize = 3_800;

impl Android {
    pub(super) async fn prepare_input(
        &self,
        device: &Pinned,
        input: Input,
        budget: &Budget,
    ) -> Result<Prepared, Failure> {
        let mut bounds = Vec::new();
        let line = match &input {
            Input::Text(typing) => self.typing_line(device, typing, budget).await?,
            Input::StartApp { app_id, user } => {
                Line::strokes(vec![self.launch_line(device, app_id, *user, budget).await?])
            }
            Input::RestartApp { app_id, user } => {
                bounds = vec![TERMINATE, budget.remaining().saturating_sub(TERMINATE).max(LAUNCH)];
                Line::strokes(self.restart_lines(device, app_id, *user, budget).await?)
            }
            Input::Manage { what, user } => return self.prepare_manage(device, what.clone(), *user, budget).await,
            Input::HideKeyboard => self.hiding_line(device, budget).await?,
            Input::Drag { .. } | Input::DoubleTap { .. } => {
                gestures::line(&input, self.device_facts(device, budget).await?.sdk)?
            }
            gesture => gestures::line(gesture, None)?,
        };
        self.meet(device, budget).await?;
        // Children that are bounded one by one are each a child of its own.
        let lines = match (line.whole.is_empty(), bounds.is_empty()) {
            (false, _) => line.whole,
            (true, true) => joined(&line.strokes, 1),
            (true, false) => apart(&line.strokes),
        };
        let commands = lines.iter().map(|line| self.input_child(device, line)).collect();
        let strokes = u32::try_from(line.strokes.len()).unwrap_or(u32::MAX);
        Ok(Prepared { input, commands, gesture_ms: line.gesture_ms, strokes, bounds, notes: line.details })
    }

    pub(super) fn input_child(&self, device: &Pinned, line: &str) -> Command {
        let line = self.guarded(device, &format!("{}; {line}; {}", judge::SAY, judge::DONE));
        self.on_device(device, &["shell", &line], judge::OUTPUT)
    }

    /// Where the device resolves apps, the activity a launcher would start; see [`launch`].
    async fn launch_line(
        &self,
        device: &Pinned,
        app_id: &str,
        user: Option<u32>,
        budget: &Budget,
    ) -> Result<String, Failure> {
        let (package, activity) = launch::component(app_id)?;
        let target = self.launch_target(device, package, activity, user, budget).await?;
        Ok(target.line())
    }

    /// The end of the app and its start. What is to be started is found before anything is ended.
    async fn restart_lines(
        &self,
        device: &Pinned,
        app_id: &str,
        user: Option<u32>,
        budget: &Budget,
    ) -> Result<Vec<String>, Failure> {
        let (package, activity) = launch::component(app_id)?;
        let target = self.launch_target(device, package, activity, user, budget).await?;
        Ok(vec![target.end(package), target.line()])
    }
}

/// Contract §5: of a restart, to terminate.
const TERMINATE: Duration = Duration::from_secs(5);

/// Contract §5: of a restart, to launch; more where the caller gave the whole more.
const LAUNCH: Duration = Duration::from_secs(10);

/// One line for each numbered stroke.
fn apart(strokes: &[String]) -> Vec<String> {
    (1..).zip(strokes).map(|(number, stroke)| format!("sh -c \"$s\" {number} {stroke}")).collect()
}

/// Lines of numbered strokes, each of which says its number and its pid as it begins, only after the one before it was accepted.
pub(super) fn joined(strokes: &[String], first: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (number, stroke) in (first..).zip(strokes) {
        let command = numbered(number, stroke);
        match lines.last_mut() {
            Some(line) if line.len() + command.len() + 4 <= LINE => {
                line.push_str(" && ");
                line.push_str(&command);
            }
            _ => lines.push(command),
        }
    }
    lines
}

/// A stroke that says its number, and its pid, as it begins.
pub(super) fn numbered(number: usize, stroke: &str) -> String {
    format!("sh -c \"$s\" {number} {stroke}")
}

/// What the platform's `input` cannot type.
pub(super) fn unsupported(message: String) -> Failure {
    Failure::new(Code::UnsupportedText, message)
}
