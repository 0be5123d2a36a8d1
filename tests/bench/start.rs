//! From the start of the process to an answered `tools/list`, and what an idle server holds.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::report::{Row, Subject};
use crate::rig::{Rig, showing};
use crate::subject::{Runs, in_turns};
use crate::support::ServerOptions;
use crate::wire::Wire;

/// `start`.
pub(crate) async fn start(runs: Runs) -> Subject {
    let mut subject = Subject::begin(
        "start",
        "Start",
        "From spawning `handset serve` to the answer of `tools/list`, with `initialize` before it; compiled components are cached. \
         The floor is `handset --version`: loading the same binary.",
        runs,
    );
    let options = ServerOptions::default();
    let (started, floor) =
        in_turns(runs.of(40), 3, async || Wire::start(&options, None).await.1.ms(), async || version()).await;
    subject.row(Row::new("spawn → tools/list", "ms", started).over(floor).median_at_most(50.0));
    let cold = ServerOptions { cold_cache: true, ..ServerOptions::default() };
    let mut first = Vec::new();
    for _ in 0..runs.of(10) {
        first.push(Wire::start(&cold, None).await.1.ms());
    }
    subject.row(Row::new("the same with nothing compiled yet", "ms", first));
    subject
        .note("The bound is for a warm start. The very first one compiles the built-in components at the same time.");
    subject
}

fn version() -> f64 {
    let began = Instant::now();
    #[allow(clippy::disallowed_methods, reason = "the product spawns in one place; this is no part of it")]
    let mut child = Command::new(env!("CARGO_BIN_EXE_handset"));
    tokio::task::block_in_place(|| child.arg("--version").stdin(Stdio::null()).output().expect("the binary starts"));
    began.elapsed().as_secs_f64() * 1_000.0
}

/// `memory`.
pub(crate) async fn memory(runs: Runs) -> Subject {
    let mut subject = Subject::begin(
        "memory",
        "Memory at rest",
        "Resident memory of the server process (VmRSS, in 10⁶ bytes; mapped files count while they are resident, RssAnon does not).",
        runs,
    );
    let rig = Rig::start([showing("settings")]).await;
    for (cold, how) in [(false, ""), (true, ", nothing compiled before")] {
        let (mut listed, mut loaded, mut anonymous, mut used) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for _ in 0..runs.of(5) {
            let options = ServerOptions { cold_cache: cold, ..ServerOptions::default() };
            let (wire, _) = Wire::start(&options, Some(&rig.adb)).await;
            listed.push(resident(&wire, "VmRSS"));
            compiled(&wire).await;
            loaded.push(resident(&wire, "VmRSS"));
            anonymous.push(resident(&wire, "RssAnon"));
            for _ in 0..20 {
                wire.call("get_ui_tree", &json!({})).await.fine();
            }
            used.push(resident(&wire, "VmRSS"));
        }
        subject.row(Row::new(format!("`tools/list` answered{how}"), "MB", listed).median_at_most(40.0));
        subject.row(Row::new(format!("built-in components loaded{how}"), "MB", loaded).median_at_most(40.0));
        subject.row(Row::new(format!("of that anonymous{how}"), "MB", anonymous));
        subject.row(Row::new(format!("after twenty trees{how}"), "MB", used));
    }
    subject
}

/// Waits until every component is compiled.
pub(crate) async fn compiled(wire: &Wire) {
    loop {
        let called = wire.call("list_plugins", &json!({})).await.fine();
        let plugins = called.body()["plugins"].as_array().cloned().unwrap_or_default();
        if !plugins.is_empty() && plugins.iter().all(|one| one["state"] == "ready") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A line of the server's `/proc/PID/status`, in 10⁶ bytes; 0 where there is none.
pub(crate) fn resident(wire: &Wire, name: &str) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{}/status", wire.pid())).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let kib: f64 = line.and_then(|rest| rest.trim().split(' ').next()?.parse().ok()).unwrap_or(0.0);
    kib * 1_024.0 / 1e6
}
