//! `cargo plugins [build|check] [--target-dir DIR]`: builds the guests into `plugins/dist`.
//!
//! `build` compiles the guests, makes components of them and writes them with a lock. `check` says
//! whether what is committed belongs to the sources: by their digest anywhere, and byte by byte
//! where the toolchain that the lock names is installed.

mod check;
mod component;
mod guests;
mod lock;
mod make;
mod sources;
mod toolchain;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What went wrong, for the person at the terminal.
pub(crate) type Outcome<T> = Result<T, String>;

/// Where things are.
pub(crate) struct Places {
    /// The repository.
    pub(crate) root: PathBuf,
    /// The guests' workspace.
    pub(crate) plugins: PathBuf,
    /// Where components are committed.
    pub(crate) dist: PathBuf,
    /// Where the guests compile.
    pub(crate) target: PathBuf,
}

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(wrong) => {
            say(&format!("cargo plugins: {wrong}"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Vec<String>) -> Outcome<()> {
    let mut command = "build".to_owned();
    let mut target = None;
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "build" | "check" => command = argument,
            "--target-dir" => {
                let folder = arguments.next().ok_or("--target-dir needs a folder")?;
                target = Some(std::path::absolute(&folder).map_err(at(Path::new(&folder)))?);
            }
            other => {
                return Err(format!(
                    "{other}? Usage: cargo plugins [build|check] [--target-dir DIR]"
                ));
            }
        }
    }
    let root = repository()?;
    let plugins = root.join("plugins");
    let places = Places {
        dist: plugins.join("dist"),
        target: target.unwrap_or_else(|| plugins.join("target")),
        plugins,
        root,
    };
    if command == "check" {
        check::check(&places)
    } else {
        make::build(&places)
    }
}

/// The nearest folder upwards that holds both the door and the guests.
fn repository() -> Outcome<PathBuf> {
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    here.ancestors()
        .find(|folder| folder.join("wit").is_dir() && folder.join("plugins/Cargo.toml").is_file())
        .map(Path::to_path_buf)
        .ok_or_else(|| "run it inside the repository".to_owned())
}

/// One line on stderr. A closed stderr is nobody's to tell.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Names the path in an I/O error.
pub(crate) fn at(path: &Path) -> impl Fn(std::io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}
