//! `handset plugin build DIR`: runs the toolchain of the plugin's language, makes its component and fills in its digest.

mod js;
mod manifest;
mod python;
mod rust;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use tokio_util::sync::CancellationToken;

use self::manifest::Sheet;
use crate::budget::Budget;
use crate::cli::output::{fail, print};
use crate::process::{Command, ProcessError, Processes, Program};

/// Compiling and downloading, cold, on a small machine.
const TIME: Duration = Duration::from_secs(30 * 60);

/// What a toolchain said at the end, which is what an author needs of it.
const SHOWN: usize = 8 << 10;

/// Options of `plugin build`.
#[derive(Debug, Args)]
pub(in crate::cli) struct BuildArgs {
    /// The folder with plugin.toml
    #[arg(default_value = ".")]
    dir: PathBuf,
}

pub(super) async fn main(args: BuildArgs) -> ExitCode {
    let began = Instant::now();
    match build(&args.dir).await {
        Ok(made) => {
            print(&format!(
                "{}: {} KiB, sha256 {}, in {:.1} s\n",
                made.component.display(),
                made.bytes.div_ceil(1024),
                made.sha256,
                began.elapsed().as_secs_f64()
            ));
            ExitCode::SUCCESS
        }
        Err(why) => fail(&why),
    }
}

/// A component as it lies in the plugin's folder.
struct Made {
    component: PathBuf,
    bytes: usize,
    sha256: String,
}

async fn build(dir: &Path) -> Result<Made, String> {
    let sheet = Sheet::read(dir)?;
    let dir = &dir.canonicalize().map_err(|why| format!("{}: {why}", dir.display()))?;
    let component = dir.join(&sheet.component);
    let tools = Tools { dir, processes: Processes::default(), budget: Budget::new(TIME, CancellationToken::new()) };
    if dir.join("Cargo.toml").is_file() {
        rust::build(&tools, &component).await?;
    } else if dir.join("package.json").is_file() {
        js::build(&tools).await?;
    } else if dir.join("pyproject.toml").is_file() {
        python::build(&tools, &component).await?;
    } else {
        return Err(format!("{}: no Cargo.toml, package.json or pyproject.toml: nothing to build", dir.display()));
    }
    let bytes =
        std::fs::read(&component).map_err(|why| format!("{}: the build left none: {why}", component.display()))?;
    let sha256 = crate::plugin::digest(&bytes);
    sheet.write(&sha256)?;
    Ok(Made { component, bytes: bytes.len(), sha256 })
}

/// Runs programs in the plugin's folder.
struct Tools<'a> {
    dir: &'a Path,
    processes: Processes,
    budget: Budget,
}

impl Tools<'_> {
    /// What it prints, when it ends well.
    ///
    /// # Errors
    /// `missing` when the program is not there; else the end of what it printed.
    async fn run(&self, program: Program, args: &[&str], missing: &str) -> Result<String, String> {
        let shown = format!("{} {}", program.path.display(), args.join(" "));
        let command = Command { folder: Some(self.dir.to_path_buf()), ..program.command(args.iter().copied()) };
        match self.processes.run(command, &self.budget).await {
            Ok(done) if done.code == Some(0) => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
            Ok(done) => Err(format!("{shown} did not end well:\n{}\n{}", end(&done.stdout), end(&done.stderr))),
            Err(ProcessError::NotFound(_)) => {
                Err(format!("{}: it is not installed. {missing}", program.path.display()))
            }
            Err(why) => Err(format!("{shown}: {why}")),
        }
    }

    /// Says what is about to be done: some of it takes a while.
    fn say(&self, what: &str) {
        crate::cli::output::complain(what);
    }
}

fn end(output: &[u8]) -> String {
    let from = output.len().saturating_sub(SHOWN);
    String::from_utf8_lossy(output.get(from..).unwrap_or_default()).trim().to_owned()
}
