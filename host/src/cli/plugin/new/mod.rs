//! `handset plugin new`: a project that builds as it stands, with cases that pass.

mod files;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::cli::output::{fail, print};

/// What a plugin decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// What the screen is up to
    Readiness,
    /// Whether a guarded input may go
    Condition,
    /// How a journey step is done
    Step,
}

/// What it is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Lang {
    /// Small and fast; needs cargo
    Rust,
    /// Needs Node.js and npm
    Js,
    /// Needs Python and pip
    Python,
}

/// Options of `plugin new`.
#[derive(Debug, Args)]
pub(in crate::cli) struct NewArgs {
    /// What it decides
    #[arg(long, value_enum)]
    kind: Kind,
    /// What it is written in
    #[arg(long, value_enum)]
    lang: Lang,
    /// The plugin's name: lower-case words joined by hyphens
    name: String,
    /// Where to; a folder of that name without it
    dir: Option<PathBuf>,
    /// Depend on the crate handset-plugin in this folder instead of writing a copy into the project (Rust)
    #[arg(long, value_name = "PATH")]
    sdk: Option<PathBuf>,
}

/// What is written into the templates.
struct Project<'a> {
    name: &'a str,
    kind: Kind,
    lang: Lang,
    sdk: Option<String>,
}

pub(super) fn main(args: &NewArgs) -> ExitCode {
    let dir = args.dir.clone().unwrap_or_else(|| PathBuf::from(&args.name));
    match write(args, &dir) {
        Ok(()) => {
            let shown = dir.display();
            print(&format!(
                "{shown}: a {} in {}. Now:\n  handset plugin build {shown}\n  handset plugin test {shown}\n",
                args.kind.word(),
                args.lang.shown(),
            ));
            ExitCode::SUCCESS
        }
        Err(why) => fail(&why),
    }
}

fn write(args: &NewArgs, dir: &Path) -> Result<(), String> {
    if !crate::plugin::is_name(&args.name) {
        return Err(format!("{:?}: a plugin's name is lower-case words joined by hyphens, a letter first", args.name));
    }
    // What is there is somebody's work.
    if std::fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()) || dir.is_file() {
        return Err(format!("{}: it is there already and not empty; name another folder", dir.display()));
    }
    let sdk = match &args.sdk {
        Some(path) => Some(sdk(path)?),
        None => None,
    };
    let project = Project { name: &args.name, kind: args.kind, lang: args.lang, sdk };
    for (path, text) in project.files() {
        let path = dir.join(path);
        let io = |why: std::io::Error| format!("{}: {why}", path.display());
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(io)?;
        }
        std::fs::write(&path, text).map_err(io)?;
    }
    Ok(())
}

/// The folder of the crate, wherever the project is moved to.
fn sdk(path: &Path) -> Result<String, String> {
    let full = path.canonicalize().map_err(|why| format!("--sdk {}: {why}", path.display()))?;
    if !full.join("Cargo.toml").is_file() {
        return Err(format!("--sdk {}: there is no Cargo.toml", path.display()));
    }
    Ok(full.to_string_lossy().replace('\\', "/"))
}

impl Kind {
    const fn word(self) -> &'static str {
        match self {
            Self::Readiness => "readiness classifier",
            Self::Condition => "condition",
            Self::Step => "journey step",
        }
    }

    /// The world of `wit/plugin.wit`.
    const fn world(self) -> &'static str {
        match self {
            Self::Readiness => "readiness-classifier",
            Self::Condition => "condition-predicate",
            Self::Step => "journey-step",
        }
    }

    const fn grants(self) -> &'static str {
        match self {
            Self::Readiness | Self::Condition => "[]",
            Self::Step => "[\"observe\", \"input:tap_element\"]",
        }
    }
}

impl Lang {
    const fn shown(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::Js => "JavaScript",
            Self::Python => "Python",
        }
    }

    const fn builds(self) -> &'static str {
        match self {
            Self::Rust => "cargo, then the component is made of the module",
            Self::Js => "npm install and npm run build",
            Self::Python => "a virtual environment, pip and componentize-py",
        }
    }

    const fn needs(self) -> &'static str {
        match self {
            Self::Rust => {
                "Needs `cargo` with `rustup target add wasm32-unknown-unknown`. `sdk/` is the crate `handset-plugin`, as the\n\
                 Handset that wrote this brings it."
            }
            Self::Js => "Needs Node.js 20 or newer with npm. `handset.js` is what the plugin stands on.",
            Self::Python => {
                "Needs Python 3.10 or newer with venv and pip. `handset.py` is what the plugin stands on. It can use what of the\n\
                 standard library needs no files, network or clock."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn args(name: &str, kind: Kind, lang: Lang, dir: &Path) -> NewArgs {
        NewArgs { kind, lang, name: name.to_owned(), dir: Some(dir.to_path_buf()), sdk: None }
    }

    #[test]
    fn every_kind_in_every_language_is_a_whole_project_without_a_mark_left() {
        for kind in Kind::value_variants() {
            for lang in Lang::value_variants() {
                let project = Project { name: "my-plugin", kind: *kind, lang: *lang, sdk: None };
                let files = project.files();
                for wanted in ["plugin.toml", "README.md", ".gitignore", "cases/app.scene.toml"] {
                    assert!(files.iter().any(|(path, _)| path == wanted), "{kind:?} {lang:?}: {wanted}");
                }
                assert!(files.iter().filter(|(path, _)| path.starts_with("cases/")).count() >= 3, "{kind:?}");
                for (path, text) in files {
                    let left = ["@NAME@", "@SDK@", "@WORLD@", "@GRANTS@", "@KIND@", "@VERSION@"];
                    assert!(left.iter().all(|mark| !text.contains(mark)), "{kind:?} {lang:?}: {path}");
                }
            }
        }
    }

    #[test]
    fn what_is_there_is_not_written_over_and_a_bad_name_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mine = folder.path().join("mine.txt");
        std::fs::write(&mine, "mine").unwrap();
        let there = write(&args("a-b", Kind::Step, Lang::Js, folder.path()), folder.path()).unwrap_err();
        assert!(there.contains("not empty"), "{there}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let empty = folder.path().join("empty");
        for bad in ["A", "a_b", "../a", "", "-a"] {
            let why = write(&args(bad, Kind::Step, Lang::Js, &empty), &empty).unwrap_err();
            assert!(why.contains("hyphens"), "{why}");
        }
        assert!(!empty.exists());
    }
}
