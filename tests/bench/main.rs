//! What Handset costs: `cargo bench [-- NAME… --quick --runs N --out FOLDER --minutes N]` writes docs/benchmarks.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "it tells a person at a terminal what it does, and ends where it cannot measure"
)]

#[path = "../e2e/plugins/callers.rs"]
mod callers;
mod components;
mod journey;
#[path = "../e2e/soak/ledger.rs"]
mod ledger;
#[path = "../e2e/soak/load.rs"]
mod load;
mod machine;
mod neighbours;
mod parse;
#[path = "../e2e/soak/phones.rs"]
mod phones;
mod report;
mod rig;
mod soak;
mod start;
mod stats;
mod subject;
#[path = "../e2e/support/mod.rs"]
#[allow(unused_macros, reason = "a kit of the tests: on_each_adb is for them")]
mod support;
mod tools;
mod tree;
#[path = "../e2e/soak/vitals.rs"]
mod vitals;
#[path = "../e2e/soak/wire.rs"]
mod wire;

use std::path::PathBuf;
use std::process::ExitCode;

use machine::{Machine, Versions};
use report::{Report, Subject, shown};
use subject::Runs;

/// Every subject in the report's order.
const SUBJECTS: [&str; 12] = [
    "start",
    "memory",
    "parse",
    "tree",
    "guard",
    "tools",
    "components",
    "neighbours",
    "journey",
    "upstream",
    "slow",
    "soak",
];

struct Asked {
    names: Vec<String>,
    runs: Runs,
    out: PathBuf,
}

fn asked(mut args: impl Iterator<Item = String>) -> Result<Asked, String> {
    let out = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/benchmarks");
    let mut asked = Asked { names: Vec::new(), runs: Runs { fixed: None, quick: false, minutes: 5.0 }, out };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} wants a value"));
        match arg.as_str() {
            // Cargo's own word.
            "--bench" => {}
            "--quick" => asked.runs.quick = true,
            "--runs" => asked.runs.fixed = Some(value()?.parse().map_err(|why| format!("--runs: {why}"))?),
            "--minutes" => asked.runs.minutes = value()?.parse().map_err(|why| format!("--minutes: {why}"))?,
            "--out" => asked.out = value()?.into(),
            name if SUBJECTS.contains(&name) => asked.names.push(arg),
            other => return Err(format!("{other:?} is none of {}", SUBJECTS.join(", "))),
        }
    }
    if asked.names.is_empty() {
        asked.names = SUBJECTS.iter().filter(|name| **name != "soak").map(ToString::to_string).collect();
    }
    Ok(asked)
}

async fn measured(name: &str, runs: Runs) -> Subject {
    match name {
        "start" => start::start(runs).await,
        "memory" => start::memory(runs).await,
        "parse" => parse::parse(runs).await,
        "tree" => tree::tree(runs).await,
        "guard" => tree::guard(runs).await,
        "tools" => tools::tools(runs).await,
        "components" => components::components(runs).await,
        "neighbours" => neighbours::neighbours(runs).await,
        "journey" => journey::journey(runs).await,
        "upstream" => journey::upstream(runs).await,
        "slow" => journey::slow(runs).await,
        "soak" => soak::soak(runs).await,
        other => unreachable!("{other} is in the table"),
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1).peekable();
    if args.next_if(|first| first == rig::RECORD).is_some() {
        return rig::record_and_run(args);
    }
    let asked = match asked(std::env::args().skip(1)) {
        Ok(asked) => asked,
        Err(why) => {
            println!("{why}");
            return ExitCode::FAILURE;
        }
    };
    let mut report = Report::continued(&asked.out, Machine::here(), Versions::here());
    let mut kept = true;
    for name in &asked.names {
        let subject = measured(name, asked.runs).await;
        for row in &subject.rows {
            let beyond = row.beyond.map(|beyond| format!(", {} beyond the floor", shown(beyond))).unwrap_or_default();
            let verdict = row.bound.as_ref().map_or("", |bound| if bound.kept { ": kept" } else { ": NOT KEPT" });
            println!("{name}: {}: {} {}{beyond}{verdict}", row.what, shown(row.measured.median), row.unit);
            kept &= row.bound.as_ref().is_none_or(|bound| bound.kept);
        }
        report.take(subject, &SUBJECTS);
        report.write(&asked.out).expect("the report can be written");
    }
    println!("written to {}", asked.out.canonicalize().unwrap_or(asked.out).display());
    if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
