//! `handset doctor`: the checks of `get_system_status` and those of Handset's own files, each with its fix.

use std::fmt::Write;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::output::print;
use super::{AdbOptions, Serve, config};
use crate::budget::Budget;
use crate::tools::House;
use crate::tools::health::{Area, COMPILED, Check, Folders, Verdict, examine, examine_house};

/// adb and devices: as long as a person waits without wondering.
const PHONES: Duration = Duration::from_secs(15);

/// How long children may take to be reaped at the end.
const GRACE: Duration = Duration::from_secs(2);

/// Options of `doctor`.
#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// One JSON object instead of lines
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    adb: AdbOptions,
}

pub(super) async fn main(args: DoctorArgs) -> ExitCode {
    let checks = checks(&args.adb.serve()).await;
    let broken = checks.iter().any(|check| check.verdict == Verdict::Broken);
    if args.json {
        print(&format!("{:#}\n", json!({ "ok": !broken, "checks": checks })));
    } else {
        print(&lines(&checks));
    }
    ExitCode::from(u8::from(broken))
}

async fn checks(options: &Serve) -> Vec<Check> {
    let mut checks = Vec::new();
    let config = match config::house(options, None) {
        Ok(config) => {
            let found = config::config_path(options.config.as_deref())
                .filter(|path| path.is_file())
                .map_or_else(|| "none: all is as it is by default".to_owned(), |path| path.display().to_string());
            checks.push(Check::fine(Area::Handset, "config", found));
            config
        }
        Err(error) => {
            let fix =
                "Correct the file: docs/configuration.md names every member. The checks below are made without it.";
            checks.push(Check::broken(Area::Handset, "config", error.to_string(), fix));
            match config::house_of(options, config::Config::default(), None) {
                Ok(config) => config,
                Err(_) => return checks,
            }
        }
    };
    let folders = Folders { cache: config.cache_dir.clone() };
    let house = House::open(config);
    let phones = Budget::new(PHONES, CancellationToken::new());
    let plugins = Budget::new(COMPILED, CancellationToken::new());
    let (examined, own) = tokio::join!(examine(&house, &phones), examine_house(&house, &folders, &plugins));
    house.close(GRACE).await;
    checks.extend(examined.checks);
    checks.extend(own);
    checks
}

fn lines(checks: &[Check]) -> String {
    let mut out = String::new();
    for check in checks {
        let word = match check.verdict {
            Verdict::Fine => "ok",
            Verdict::Note => "note",
            Verdict::Warning => "warning",
            Verdict::Broken => "BROKEN",
        };
        let _ = writeln!(out, "{word:<8} {:<14} {}", check.name, check.found);
        if let Some(fix) = &check.fix {
            let _ = writeln!(out, "{:<8} {:<14} -> {fix}", "", "");
        }
    }
    out
}
