//! `handset plugin test DIR`: the plugin's declared cases, run and told as a table.

mod case;
mod judge;
mod run;
mod screens;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use self::case::Case;
use self::run::{Got, Subject};
use crate::cli::output::{fail, print};
use crate::plugin::{MANIFEST, Manifest};
use crate::request::round;

/// Exit status when a case did not come out as expected.
const FAILED: u8 = 3;

/// Options of `plugin test`.
#[derive(Debug, Args)]
pub(in crate::cli) struct TestArgs {
    /// The folder with plugin.toml and cases/
    dir: PathBuf,
    /// Only cases whose name holds this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// One JSON object instead of the table
    #[arg(long)]
    json: bool,
    /// Show what the plugin logs, on stderr
    #[arg(long)]
    log: bool,
    /// Keep no compiled component on disk
    #[arg(long)]
    no_cache: bool,
}

/// One case, run.
struct Ran {
    name: String,
    asks: String,
    got: Result<Got, String>,
    wrong: Vec<String>,
}

pub(super) async fn main(args: TestArgs) -> ExitCode {
    if args.log {
        let filter = tracing_subscriber::EnvFilter::new("handset::guest=debug");
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false).init();
    }
    let manifest = match manifest(&args.dir) {
        Ok(manifest) => manifest,
        Err(why) => return fail(&why),
    };
    let cases = match cases(&args.dir, args.only.as_deref()) {
        Ok(cases) => cases,
        Err(why) => return fail(&why),
    };
    let subject = Subject { folder: &args.dir, manifest: &manifest, no_cache: args.no_cache };
    let mut ran = Vec::with_capacity(cases.len());
    for path in cases {
        let one = one(&subject, &path).await;
        // What keeps one case from being asked, such as a component that was refused, is said once.
        if !args.json {
            print(&line(&one));
        }
        ran.push(one);
    }
    let failed = ran.iter().filter(|one| !one.passed()).count();
    if args.json {
        let listed: Vec<Value> = ran.iter().map(Ran::json).collect();
        print(&format!("{:#}\n", json!({ "plugin": manifest.name, "success": failed == 0, "cases": listed })));
    } else {
        print(&format!("{} of {} cases passed\n", ran.len() - failed, ran.len()));
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) }
}

async fn one(subject: &Subject<'_>, path: &Path) -> Ran {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let beside = path.parent().unwrap_or(subject.folder);
    let case = match Case::read(path) {
        Ok(case) => case,
        Err(why) => return Ran { name, asks: String::new(), got: Err(why), wrong: Vec::new() },
    };
    let asks = case.asks().map(case::Asks::shown).unwrap_or_default();
    let got = subject.run(&case, beside).await;
    let wrong = got.as_ref().map(|got| judge::differences(&case.expect, got)).unwrap_or_default();
    Ran { name: case.summary.map_or_else(|| name.clone(), |summary| format!("{name}: {summary}")), asks, got, wrong }
}

impl Ran {
    fn passed(&self) -> bool {
        self.got.is_ok() && self.wrong.is_empty()
    }

    fn json(&self) -> Value {
        let got = self.got.as_ref().ok();
        json!({
            "case": self.name,
            "asks": self.asks,
            "success": self.passed(),
            "got": got.map(|got| &got.word),
            "failure_code": got.and_then(|got| got.code.as_ref()),
            "says": got.and_then(|got| got.says.as_ref()),
            "body": got.map(|got| &got.body),
            "evidence": got.map(|got| &got.evidence),
            "output": got.and_then(|got| got.output.as_ref()),
            "ms": got.map(|got| round(got.ms)),
            "differences": self.wrong,
            "error": self.got.as_ref().err(),
        })
    }
}

/// One line of the table, and below it what is wrong.
fn line(ran: &Ran) -> String {
    let mark = if ran.passed() { "ok    " } else { "FAILED" };
    let (word, took) = match &ran.got {
        Ok(got) => (got.word.as_str(), format!("{} ms", round(got.ms))),
        Err(_) => ("not run", String::new()),
    };
    let mut text = format!("{mark}  {:<28}  {word:<11}  {took:>10}  {}\n", ran.asks, ran.name);
    if ran.passed() {
        return text;
    }
    let mut say = |what: &str| {
        for line in what.lines() {
            text.push_str("        ");
            text.push_str(line);
            text.push('\n');
        }
    };
    match &ran.got {
        Err(why) => say(why),
        Ok(got) => {
            ran.wrong.iter().for_each(|wrong| say(wrong));
            match (&got.output, &got.says) {
                (Some(output), _) => say(output),
                (None, Some(says)) => say(says),
                (None, None) => {}
            }
        }
    }
    text
}

fn manifest(dir: &Path) -> Result<Manifest, String> {
    let path = dir.join(MANIFEST);
    let text = std::fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
    toml::from_str(&text).map_err(|why| format!("{}: {why}", path.display()))
}

/// The files of `cases/`, by name.
fn cases(dir: &Path, only: Option<&str>) -> Result<Vec<PathBuf>, String> {
    let folder = dir.join("cases");
    let entries = std::fs::read_dir(&folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    let is_case = |path: &PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let scene = name.ends_with(".scene");
        !scene && path.extension().is_some_and(|it| it == "toml") && only.is_none_or(|only| name.contains(only))
    };
    let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_case).collect();
    found.sort();
    if found.is_empty() {
        return Err(format!("{}: no case there; a case is a .toml file, see docs/plugins.md", folder.display()));
    }
    Ok(found)
}
