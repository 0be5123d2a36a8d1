//! The toolchains that can compile a guest: rustup's with the target installed, or Debian's with
//! the standard library built from its source package.

use crate::guests::GUESTS;
use crate::lock::{Toolchain, wit_component};
use crate::{Outcome, Places};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const TARGET: &str = "wasm32-unknown-unknown";
const NONE_FOUND: &str = "no toolchain for wasm32-unknown-unknown here. Either `rustup target add \
     wasm32-unknown-unknown`, or on Debian `apt install rustc-web cargo-web rust-web-src lld-22`. \
     The committed components in plugins/dist need neither";

/// Variables by which an outer cargo would steer the inner one.
const STEERING: &[&str] = &[
    "CARGO",
    "CARGO_BUILD_TARGET",
    "CARGO_BUILD_TARGET_DIR",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_TARGET_DIR",
    "RUSTC",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTDOC",
    "RUSTFLAGS",
    "RUSTUP_TOOLCHAIN",
];

/// A toolchain that is installed here.
pub(crate) struct Installed {
    /// What the lock says of it.
    pub(crate) named: Toolchain,
    cargo: PathBuf,
    rustc: PathBuf,
    /// The linker, where the compiler does not bring one; then std is built too.
    linker: Option<PathBuf>,
}

/// The toolchains installed here, the preferred one first.
pub(crate) fn installed(places: &Places) -> Outcome<Vec<Installed>> {
    let wit_component = wit_component(places)?;
    let found = [
        rustup(places, &wit_component),
        debian(places, &wit_component),
    ];
    Ok(found.into_iter().flatten().collect())
}

/// The preferred toolchain.
pub(crate) fn preferred(places: &Places) -> Outcome<Installed> {
    installed(places)?
        .into_iter()
        .next()
        .ok_or_else(|| NONE_FOUND.to_owned())
}

fn rustup(places: &Places, wit_component: &str) -> Option<Installed> {
    let listed = output(
        places,
        Path::new("rustup"),
        &["target", "list", "--installed"],
    )?;
    listed
        .lines()
        .any(|line| line.trim() == TARGET)
        .then_some(())?;
    Some(Installed {
        named: Toolchain {
            kind: "rustup".to_owned(),
            rustc: output(places, Path::new("rustc"), &["--version"])?,
            linker: "rust-lld".to_owned(),
            wit_component: wit_component.to_owned(),
        },
        cargo: PathBuf::from("cargo"),
        rustc: PathBuf::from("rustc"),
        linker: None,
    })
}

fn debian(places: &Places, wit_component: &str) -> Option<Installed> {
    let (cargo, rustc) = (
        PathBuf::from("/usr/bin/cargo"),
        PathBuf::from("/usr/bin/rustc"),
    );
    let sysroot = output(places, &rustc, &["--print", "sysroot"])?;
    Path::new(&sysroot)
        .join("lib/rustlib/src/rust/library/std")
        .exists()
        .then_some(())?;
    let linker = newest_linker()?;
    Some(Installed {
        named: Toolchain {
            kind: "debian".to_owned(),
            rustc: output(places, &rustc, &["--version"])?,
            linker: output(places, &linker, &["--version"])?,
            wit_component: wit_component.to_owned(),
        },
        cargo,
        rustc,
        linker: Some(linker),
    })
}

/// `/usr/bin/wasm-ld-N` of the greatest N.
fn newest_linker() -> Option<PathBuf> {
    let entries = std::fs::read_dir("/usr/bin").ok()?.flatten();
    let numbered = entries.filter_map(|entry| {
        let version = entry
            .file_name()
            .to_str()?
            .strip_prefix("wasm-ld-")?
            .parse::<u32>()
            .ok()?;
        Some((version, entry.path()))
    });
    numbered.max().map(|(_, path)| path)
}

impl Installed {
    /// Compiles every guest; the core modules' folder.
    pub(crate) fn compile(&self, places: &Places) -> Outcome<PathBuf> {
        let mut cargo = clean(&self.cargo, &places.plugins);
        cargo.args(["build", "--release", "--locked", "--target", TARGET]);
        for guest in GUESTS {
            cargo.args(["--package", guest.package]);
        }
        cargo.arg("--target-dir").arg(&places.target);
        cargo.env("CARGO_ENCODED_RUSTFLAGS", self.flags(places));
        if let Some(linker) = &self.linker {
            cargo.arg("-Zbuild-std=std,panic_abort");
            cargo.env("RUSTC_BOOTSTRAP", "1");
            cargo.env("RUSTC", &self.rustc);
            cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
        let status = cargo
            .status()
            .map_err(|error| format!("{}: {error}", self.cargo.display()))?;
        if !status.success() {
            return Err("the guests did not compile".to_owned());
        }
        Ok(places.target.join(TARGET).join("release"))
    }

    /// Takes this machine's paths out of what is compiled.
    fn flags(&self, places: &Places) -> OsString {
        let mut prefixes = vec![(places.root.clone(), "/handset")];
        if let Some(home) = cargo_home() {
            prefixes.push((home, "/cargo"));
        }
        if let Some(sysroot) = output(places, &self.rustc, &["--print", "sysroot"]) {
            prefixes.push((Path::new(&sysroot).join("lib/rustlib/src/rust"), "/rust"));
        }
        let mut flags = OsString::new();
        for (from, to) in prefixes {
            if !flags.is_empty() {
                flags.push("\u{1f}");
            }
            flags.push("--remap-path-prefix=");
            flags.push(from);
            flags.push("=");
            flags.push(to);
        }
        flags
    }
}

fn cargo_home() -> Option<PathBuf> {
    std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".cargo")))
}

#[expect(
    clippy::disallowed_methods,
    reason = "a build tool; the rule is the host's"
)]
fn clean(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).stdin(Stdio::null());
    for name in STEERING {
        command.env_remove(name);
    }
    command
}

/// The first line or lines a program prints, when it runs and succeeds.
fn output(places: &Places, program: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = clean(program, &places.plugins);
    let output = command
        .args(arguments)
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
