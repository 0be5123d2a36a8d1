//! `get_network_activity`: requests that the app's HTTP client logged since the last input was dispatched.

use std::time::Duration;

use handset_model::Failure;
use handset_model::logs::{LogEntry, NetworkRequest, network_requests};
use serde_json::{Value, json};

use super::args::DeviceOnlyArgs;
use super::{Answer, Call};
use crate::device::{LogQuery, Logs};

/// A tool that states no timeout has this in all (contract §4).
const ALL: Duration = Duration::from_secs(25);

/// Lines that are read for it.
const READ: u32 = 5_000;

/// The device's clock is read in whole seconds: so much earlier a line may still follow from the action.
const UNCERTAIN_MS: i64 = 1_000;

/// One request, as shapes have it.
fn shown(request: &NetworkRequest) -> Value {
    json!({
        "endpoint": request.endpoint,
        "method": request.method,
        "statusCode": request.status_code,
        "networkError": request.network_error,
        "status": request.status(),
        "durationMs": request.duration_ms,
    })
}

/// Requests that ended in the window, and how many are under way.
fn within(logs: &Logs, since_ms: Option<i64>) -> (Vec<Value>, usize) {
    let new = |entry: Option<&LogEntry>| {
        let at = entry.and_then(|entry| entry.time).and_then(|time| time.epoch_ms(&logs.base));
        since_ms.is_none_or(|since| at.is_some_and(|at| at >= since))
    };
    let (done, open): (Vec<_>, Vec<_>) = network_requests(&logs.entries)
        .into_iter()
        .filter(|request| new(logs.entries.get(request.at)))
        .partition(|request| request.done);
    (done.iter().map(shown).collect(), open.len())
}

pub(super) async fn get_network_activity(call: Call) -> Result<Answer, Failure> {
    let args: DeviceOnlyArgs = call.parse()?;
    let session = call.session(&args.target).await?;
    let budget = call.budget(ALL);
    let acted = session.screens.last_action(&session.pinned.key);
    let query = LogQuery { lines: READ, ..LogQuery::default() };
    let read = session.adapter.logs(&session.pinned, &query, &budget).await;
    let logs = read.inspect_err(|failure| {
        session.screens.lost(&session.pinned.key, failure);
    })?;
    let ago = acted.map(|at| i64::try_from(at.elapsed().as_millis()).unwrap_or(i64::MAX));
    let since = ago.zip(logs.now_ms).map(|(ago, now)| now.saturating_sub(ago).saturating_sub(UNCERTAIN_MS));
    let (requests, pending) = within(&logs, since);
    Ok(Answer::body(json!({
        "requests": requests,
        "count": requests.len(),
        "pending": pending,
        "window": {
            "since": if since.is_some() { "last_action" } else { "log_start" },
            "ms": ago,
            "uncertainty_ms": UNCERTAIN_MS,
            "log_starts_later": logs.cut,
        },
        "timing": call.request.timings.compact(),
    })))
}
