//! The suite itself: installed once into the target folder, run once a revision.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

const PACKAGE: &str = include_str!("../package.json");
const LOCK: &str = include_str!("../package-lock.json");
const BASELINE: &str = include_str!("../baseline.yml");

/// The suite, installed.
pub(crate) struct Suite {
    folder: PathBuf,
    node: PathBuf,
}

/// One line for whoever runs this.
pub(crate) fn say(line: &str) {
    // Who closed our stdout does not read.
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Installs what the lock file says, unless it is there already.
///
/// # Errors
/// Why it is not there.
pub(crate) fn install() -> Result<Suite, String> {
    let broken = |error: std::io::Error| format!("the suite cannot be installed: {error}");
    let exe = std::env::current_exe().map_err(broken)?;
    let folder = exe.parent().unwrap_or(Path::new(".")).join("conformance");
    let installed = folder.join("installed.json");
    if std::fs::read_to_string(&installed).is_ok_and(|lock| lock == LOCK) {
        return Ok(Suite { node: node(&folder), folder });
    }
    std::fs::create_dir_all(&folder).map_err(broken)?;
    std::fs::write(folder.join("package.json"), PACKAGE).map_err(broken)?;
    std::fs::write(folder.join("package-lock.json"), LOCK).map_err(broken)?;
    #[allow(clippy::disallowed_methods, reason = "the product spawns in one place; this is no product")]
    let npm = std::process::Command::new("npm")
        .args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"])
        .current_dir(&folder)
        .stdin(Stdio::null())
        .status()
        .map_err(|error| format!("npm cannot be run: {error}"))?;
    if !npm.success() {
        return Err(format!("npm ci: {npm}"));
    }
    std::fs::write(&installed, LOCK).map_err(broken)?;
    Ok(Suite { node: node(&folder), folder })
}

/// The Node of the lock file where there is one for this machine, else the one in PATH: the suite needs 22.
fn node(folder: &Path) -> PathBuf {
    let machine = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    let own = folder.join(format!("node_modules/node-{}-{machine}/bin/node", std::env::consts::OS));
    if own.is_file() { own } else { PathBuf::from("node") }
}

impl Suite {
    /// Runs what each revision requires.
    ///
    /// # Errors
    /// A failure that is not in the baseline, or an entry of the baseline that failed in no run.
    pub(crate) async fn holds(&self, url: &str, revisions: &[&str]) -> Result<(), String> {
        let baseline = self.folder.join("baseline.yml");
        std::fs::write(&baseline, BASELINE).map_err(|error| error.to_string())?;
        let mut failed = Vec::new();
        let mut expected = BTreeSet::new();
        for revision in revisions {
            say(&format!("== {revision}"));
            let results = self.folder.join("results").join(revision);
            let _ = std::fs::remove_dir_all(&results);
            #[allow(clippy::disallowed_methods, reason = "the product spawns in one place; this is no product")]
            let output = tokio::process::Command::new(&self.node)
                .arg(self.folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js"))
                .args(["server", "--url", url, "--requirements", revision, "--expected-failures"])
                .arg(&baseline)
                .arg("--output-dir")
                .arg(&results)
                .env("NO_COLOR", "1")
                .stdin(Stdio::null())
                .stderr(Stdio::inherit())
                .kill_on_drop(true)
                .output()
                .await
                .map_err(|error| format!("{} cannot be run: {error}", self.node.display()))?;
            let told = plain(&String::from_utf8_lossy(&output.stdout));
            expected.extend(told.lines().filter_map(|line| line.strip_prefix("  ~ ")).map(str::to_owned));
            if output.status.success() {
                let summary = told.lines().skip_while(|line| !line.contains("SUMMARY")).collect::<Vec<_>>();
                say(&summary.join("\n"));
            } else {
                say(&told);
                failed.push(format!("{revision}: {}", output.status));
            }
        }
        let entries = BASELINE.lines().filter_map(|line| line.strip_prefix("  - "));
        let entries = entries.map(|entry| entry.split_whitespace().next().unwrap_or(entry).to_owned());
        failed
            .extend(entries.filter(|entry| !expected.contains(entry)).map(|entry| format!("{entry} failed in no run")));
        if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
    }
}

/// Without colours, which the suite always writes.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut parts = text.split("\u{1b}[");
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        plain.push_str(part.split_once('m').map_or(part, |(_, rest)| rest));
    }
    plain
}
