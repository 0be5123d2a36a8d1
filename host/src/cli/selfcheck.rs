//! `handset selfcheck`: what one device answers, for a person and as a report file.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use handset_model::report::{Latency, Report};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::output::{complain, fail, print};
use super::{AdbOptions, config};
use crate::budget::Budget;
use crate::device::Target;
use crate::plugin::Builtins;
use crate::request::Request;
use crate::tools::{Call, House, call, find};

/// Everything together; a device that answers slowly needs about one.
const ALL: Duration = Duration::from_secs(300);

/// How long children may take to be reaped at the end.
const GRACE: Duration = Duration::from_secs(2);

/// Inputs timed.
const INPUTS: usize = 3;

/// Options of `selfcheck`.
#[derive(Debug, Args)]
pub(super) struct SelfcheckArgs {
    /// Serial of the device; needed when several are attached
    #[arg(long, value_name = "SERIAL")]
    device: Option<String>,
    /// Also time an input: the wake-up key, which does nothing on a screen that is on
    #[arg(long)]
    allow_input: bool,
    /// Write the report here
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How many dumps are timed
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=20))]
    reads: u8,
    #[command(flatten)]
    adb: AdbOptions,
}

pub(super) async fn main(args: SelfcheckArgs) -> ExitCode {
    let mut config = match config::house(&args.adb.serve(), None) {
        Ok(config) => config,
        Err(error) => return fail(&error.to_string()),
    };
    // Questions to a device need no components.
    config.builtins = Builtins::none();
    config.plugins.dirs.clear();
    let house = House::open(config);
    let asked = tokio::select! {
        asked = ask(&house, &args) => asked,
        _ = tokio::signal::ctrl_c() => Err("interrupted".to_owned()),
    };
    house.close(GRACE).await;
    let report = match asked {
        Ok(report) => report,
        Err(error) => return fail(&error),
    };
    print(&summary(&report));
    let Some(path) = &args.output else {
        print("\nThe report itself is written with --output FILE.\n");
        return ExitCode::SUCCESS;
    };
    let written = toml::to_string_pretty(&report).map_err(|error| error.to_string());
    match written.and_then(|text| std::fs::write(path, text).map_err(|error| error.to_string())) {
        Ok(()) => {
            print(&format!("\nReport: {}. Read it before you pass it on.\n", path.display()));
            ExitCode::SUCCESS
        }
        Err(error) => fail(&format!("{}: {error}", path.display())),
    }
}

async fn ask(house: &std::sync::Arc<House>, args: &SelfcheckArgs) -> Result<Report, String> {
    let budget = Budget::new(ALL, CancellationToken::new());
    let target = Target { platform: Some("android".to_owned()), device_id: args.device.clone() };
    let said = |failure: handset_model::Failure| {
        let remedy = failure.remedy.clone().unwrap_or_else(|| failure.code.remedy().to_owned());
        format!("{} ({}). {remedy}", failure.message, failure.code)
    };
    let session = house.session(&target, &budget).await.map_err(said)?;
    let request = Request::new(budget.cancel_token().clone(), None);
    let turn = session.enter(&request, &budget).await.map_err(said)?;
    let (mut report, left) = session.adapter.survey(&session.pinned, args.reads.into(), &budget).await.map_err(said)?;
    match left {
        Some(left) => turn.leave_behind(session.adapter.clone(), session.pinned.clone(), left),
        None => drop(turn),
    }
    if args.allow_input {
        let taken = inputs(house, &session.pinned.key.id).await;
        report.latency.extend(Latency::of(taken?).map(|latency| ("input".to_owned(), latency)));
    }
    Ok(report)
}

/// Times an input, sent as every other is: through its tool.
async fn inputs(house: &std::sync::Arc<House>, device: &str) -> Result<Vec<f64>, String> {
    let Some(tool) = find("press_key") else { return Ok(Vec::new()) };
    let mut taken = Vec::new();
    for _ in 0..INPUTS {
        let arguments =
            json!({ "platform": "android", "deviceId": device, "key": "wakeup", "verificationMode": "none" });
        let request = Request::new(CancellationToken::new(), None);
        let answer = call(tool, Call::new(house.clone(), request, arguments)).await;
        let answer = answer.map_err(|failure| failure.message)?.to_json(None);
        match (answer.get("success"), answer.pointer("/timing/dispatch_ms").and_then(Value::as_f64)) {
            (Some(Value::Bool(true)), Some(ms)) => taken.push(ms),
            _ => complain(&format!("an input was not accepted: {}", answer["failure_code"])),
        }
    }
    Ok(taken)
}

/// What a person wants to know of it.
fn summary(report: &Report) -> String {
    let mut out = String::new();
    let property = |name: &str| report.properties.get(name).map_or("?", String::as_str);
    let _ = writeln!(
        out,
        "{} {}, Android {} (SDK {})",
        property("ro.product.manufacturer"),
        property("ro.product.model"),
        property("ro.build.version.release"),
        property("ro.build.version.sdk"),
    );
    let or = |text: &str, other: &str| if text.is_empty() { other.to_owned() } else { text.to_owned() };
    let _ = writeln!(out, "  adb         {}", or(&report.adb, "tells no version"));
    let _ = writeln!(out, "  features    {}", or(&report.features.join(" "), "none told"));
    let _ = writeln!(out, "  in front    {}", report.front.as_deref().unwrap_or("not told"));
    let lacks: Vec<&str> =
        report.commands.iter().filter(|(_, there)| !**there).map(|(name, _)| name.as_str()).collect();
    let _ = writeln!(
        out,
        "  commands    {}",
        if lacks.is_empty() { "all there".to_owned() } else { format!("without {}", lacks.join(", ")) }
    );
    for (name, dump) in &report.dumps {
        let told = match &dump.failed {
            Some(code) => format!("{code}: {}", dump.words.lines().last().unwrap_or_default()),
            None => format!("{} nodes in <{}>", dump.nodes, dump.root.as_deref().unwrap_or("?")),
        };
        let _ = writeln!(out, "  dump        {name}: {told}");
    }
    for (name, latency) in &report.latency {
        let Latency { count, min_ms, median_ms, max_ms } = latency;
        let _ =
            writeln!(out, "  {name:<15} {min_ms} / {median_ms} / {max_ms} ms (shortest, middle, longest of {count})");
    }
    if let Some(shot) = &report.screenshot {
        let after = if shot.before.is_empty() { "" } else { ", after other words" };
        let _ = writeln!(
            out,
            "  screenshot  {}",
            if shot.png { format!("PNG{after}") } else { format!("none, status {}", shot.status) }
        );
    }
    for (name, answer) in &report.answers {
        let first = answer.text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let told = match (&answer.failed, answer.status) {
            (Some(code), _) => code.clone(),
            (None, Some(0)) => first.to_owned(),
            (None, status) => format!("status {}: {first}", status.unwrap_or(-1)),
        };
        let _ = writeln!(out, "  {name:<15} {}", told.trim_end());
    }
    out
}
