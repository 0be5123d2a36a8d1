//! Installing an app from what is there: an APK, a set of splits, a project's build.

use std::path::Path;
use std::time::Duration;

use handset_model::Failure;
use serde_json::json;
use tokio::time::{Instant, interval_at};

use super::artefact::{self, Artefact};
use super::lifecycle::{answer, carry_out};
use crate::action::ActionReport;
use crate::budget::Budget;
use crate::device::{Manage, Session};
use crate::tools::args::InstallAppArgs;
use crate::tools::{Answer, Call};

/// Where no timeout is stated: some hundred megabytes over a slow network, and the device's own compiling.
const INSTALL: Duration = Duration::from_secs(300);

/// Between two notifications while nothing can be said but that it goes on.
const BEAT: Duration = Duration::from_secs(5);

pub(in crate::tools) async fn install_app(call: Call) -> Result<Answer, Failure> {
    let args: InstallAppArgs = call.parse()?;
    let budget = call.budget(args.timeout_ms.map_or(INSTALL, Duration::from_millis));
    let (path, splits, kind) = (args.app_path, args.split_paths, args.project_type);
    let found = tokio::task::spawn_blocking(move || artefact::find(&path, &splits, kind)).await;
    let found = found.map_err(|error| Failure::new(handset_model::Code::Unknown, error.to_string()))??;
    let session = call.session(&args.target).await?;
    answer(&install(&call, &session, found, args.user, "install_app", &budget).await, "installed")
}

/// Installs an artefact on a device, with progress; the report says `user` and `files`.
pub(in crate::tools) async fn install(
    call: &Call,
    session: &Session,
    artefact: Artefact,
    user: Option<u32>,
    action_type: &'static str,
    budget: &Budget,
) -> ActionReport {
    let Artefact { files, bytes } = artefact;
    let what = match files.as_slice() {
        [one] => format!("{} ({})", name(one), size(bytes)),
        several => format!("{} files ({})", several.len(), size(bytes)),
    };
    call.request.progress(0.0, None, format!("installing {what} on {}", session.pinned.key.id));
    let began = Instant::now();
    let mut beat = interval_at(began + BEAT, BEAT);
    let shown: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let mut work = std::pin::pin!(carry_out(call, session, action_type, Manage::Install { files }, user, budget));
    let mut report = loop {
        tokio::select! {
            report = &mut work => break report,
            _ = beat.tick() => {
                let seconds = began.elapsed().as_secs();
                call.request.progress(began.elapsed().as_secs_f64(), None, format!("still installing {what}, {seconds} s"));
            }
        }
    };
    report.details.insert("files".into(), json!(shown));
    report
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn size(bytes: u64) -> String {
    let tenths = bytes / 100_000;
    format!("{}.{} MB", tenths / 10, tenths % 10)
}
