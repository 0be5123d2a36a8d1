//! The device itself: what it opens, how it is held, where it believes it is, its clipboard; its start and its end.

use std::time::Duration;

use handset_model::Failure;
use serde_json::json;
use tokio::time::{Instant, interval_at};

use super::lifecycle::{Order, WHOLE, answer, carry_out, manage};
use crate::device::{Boot, Manage, Session};
use crate::tools::args::{
    BootArgs, DeviceOnlyArgs, OpenUrlArgs, SetClipboardArgs, SetLocationArgs, SetOrientationArgs,
};
use crate::tools::{Answer, Call};

/// A cold boot on a busy machine takes minutes.
const BOOT: Duration = Duration::from_secs(180);

/// Between two notifications while it boots.
const BEAT: Duration = Duration::from_secs(5);

/// How long a device that was ended may still be listed.
const GOING: Duration = Duration::from_secs(10);

pub(in crate::tools) async fn open_url(call: Call) -> Result<Answer, Failure> {
    let args: OpenUrlArgs = call.parse()?;
    let what = Manage::OpenUrl { url: args.url, app_id: args.app_id };
    manage(&call, &args.target, Order { action_type: "open_url", done: "opened", what, user: args.user }).await
}

pub(in crate::tools) async fn set_orientation(call: Call) -> Result<Answer, Failure> {
    let args: SetOrientationArgs = call.parse()?;
    let what = Manage::Orientation(args.orientation.wanted());
    manage(&call, &args.target, Order { action_type: "set_orientation", done: "orientationSet", what, user: None })
        .await
}

pub(in crate::tools) async fn set_location(call: Call) -> Result<Answer, Failure> {
    let args: SetLocationArgs = call.parse()?;
    let SetLocationArgs { target, latitude, longitude, altitude } = args;
    let what = Manage::Location { latitude, longitude, altitude };
    manage(&call, &target, Order { action_type: "set_location", done: "locationSet", what, user: None }).await
}

pub(in crate::tools) async fn set_clipboard(call: Call) -> Result<Answer, Failure> {
    let args: SetClipboardArgs = call.parse()?;
    let what = Manage::SetClipboard { text: args.text };
    manage(&call, &args.target, Order { action_type: "set_clipboard", done: "clipboardSet", what, user: None }).await
}

pub(in crate::tools) async fn get_clipboard(call: Call) -> Result<Answer, Failure> {
    let args: DeviceOnlyArgs = call.parse()?;
    let session = call.session(&args.target).await?;
    let text = session.adapter.clipboard(&session.pinned, &call.budget(WHOLE)).await?;
    let device = crate::action::device_json(&session.pinned, None);
    Ok(Answer::body(json!({ "device": device, "text": text, "timing": call.request.timings.full() })))
}

pub(in crate::tools) async fn shutdown_device(call: Call) -> Result<Answer, Failure> {
    let args: DeviceOnlyArgs = call.parse()?;
    let session = call.session(&args.target).await?;
    let budget = call.budget(WHOLE);
    let mut report = carry_out(&call, &session, "shutdown_device", Manage::Shutdown, None, &budget).await;
    if report.success() {
        report.details.insert("detached".into(), json!(gone(&session, &call).await));
    }
    answer(&report, "shutDown")
}

/// Waits until a listing does not show the device any more.
async fn gone(session: &Session, call: &Call) -> bool {
    let budget = call.budget(GOING);
    loop {
        let listed = session.adapter.list(&budget).await;
        if listed.is_ok_and(|listed| !listed.iter().any(|device| device.id == session.pinned.key.id && device.usable)) {
            return true;
        }
        if budget.pause(Duration::from_millis(250)).await.is_err() {
            return false;
        }
    }
}

pub(in crate::tools) async fn boot_device(call: Call) -> Result<Answer, Failure> {
    let args: BootArgs = call.parse()?;
    let platform = args.platform.map_or("android", crate::tools::args::Platform::as_str);
    let adapter = call.house.adapter(platform)?;
    let budget = call.budget(args.timeout_ms.map_or(BOOT, Duration::from_millis));
    let wanted = Boot { avd: args.avd, headless: args.headless.unwrap_or(false) };
    let began = Instant::now();
    let mut beat = interval_at(began + BEAT, BEAT);
    call.request.progress(0.0, None, "looking for the virtual device");
    let mut work = adapter.boot(&wanted, &budget);
    let end = loop {
        tokio::select! {
            end = &mut work => break end,
            _ = beat.tick() => {
                let seconds = began.elapsed().as_secs();
                call.request.progress(began.elapsed().as_secs_f64(), None, format!("still starting, {seconds} s"));
            }
        }
    };
    let (booted, failure) = match end {
        Ok(booted) => (Some(booted.clone()), booted.failure),
        Err(failure) if failure.code == handset_model::Code::InvalidArgument => return Err(failure),
        Err(failure) => (None, Some(failure)),
    };
    // It is started by a program of this machine: what that was told is known to have arrived.
    let started = booted.as_ref().is_some_and(|booted| !booted.already);
    let delivery = match (&failure, started) {
        (None, _) => "delivered",
        (Some(_), true) => "unknown",
        (Some(_), false) => "not_delivered",
    };
    let mut body = json!({
        "booted": failure.is_none(),
        "success": failure.is_none(),
        "delivery_status": delivery,
        "dispatch_started": started,
        "timing": call.request.timings.full(),
    });
    if let Some(booted) = &booted {
        body["device"] = json!({ "platform": platform, "id": booted.id });
        body["diagnostics"] = json!({ "avd": booted.avd, "alreadyRunning": booted.already });
    }
    if let Some(failure) = &failure {
        body["failure_code"] = json!(failure.code);
        body["retryable"] = json!(!started && failure.is_retryable());
        body["error"] = failure.to_json();
    }
    let failure_code = failure.as_ref().map(|failure| failure.code);
    Ok(Answer::Body { body, success: Some(failure.is_none()), failure_code, text: None })
}
