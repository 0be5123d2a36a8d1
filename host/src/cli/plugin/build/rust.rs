//! Rust: cargo for the module, and again for the project's own `component/`, which makes a component of it. Encoding one
//! takes a crate that this program, which only runs components, has no other use for.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Tools;
use crate::process::Program;

const TARGET: &str = "wasm32-unknown-unknown";
const MISSING: &str = "Install Rust from https://rustup.rs, then run `rustup target add wasm32-unknown-unknown`.";

pub(super) async fn build(tools: &Tools<'_>, component: &Path) -> Result<(), String> {
    let module = module(tools.dir)?;
    tools.say("cargo build --release (the first time takes a while)");
    // A folder of its own: one that is shared would be another's to clean.
    let target = tools.dir.join("target");
    let target = target.to_string_lossy();
    let mut args = vec!["build", "--quiet", "--release", "--lib", "--target", TARGET, "--target-dir", &target];
    let cargo = match toolchain(tools).await? {
        Toolchain::Rustup => Program::new("cargo"),
        Toolchain::Debian { linker } => {
            args.push("-Zbuild-std=std,panic_abort");
            let env = [
                ("RUSTC_BOOTSTRAP", "1".into()),
                ("RUSTC", "/usr/bin/rustc".into()),
                ("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker.into_os_string()),
            ];
            let env = env.into_iter().map(|(name, value)| (name.into(), value)).collect();
            Program { path: "/usr/bin/cargo".into(), leading: Vec::new(), env }
        }
    };
    tools.run(cargo, &args, MISSING).await?;
    let path = tools.dir.join("target").join(TARGET).join("release").join(module);
    let encoder = tools.dir.join("component");
    if !encoder.join("Cargo.toml").is_file() {
        return Err(format!(
            "{}: it is not there. Copy it from a project that `handset plugin new --lang rust` writes.",
            encoder.display()
        ));
    }
    let manifest = encoder.join("Cargo.toml");
    let (manifest, path, component) = (manifest.to_string_lossy(), path.to_string_lossy(), component.to_string_lossy());
    let args = ["run", "--quiet", "--manifest-path", &manifest, "--target-dir", &target, "--", &path, &component];
    tools.run(Program::new("cargo"), &args, MISSING).await.map(|_| ())
}

/// The file cargo makes of the package.
fn module(dir: &Path) -> Result<String, String> {
    #[derive(Deserialize)]
    struct File {
        package: Package,
    }
    #[derive(Deserialize)]
    struct Package {
        name: String,
    }
    let path = dir.join("Cargo.toml");
    let text = std::fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
    let file: File = toml::from_str(&text).map_err(|why| format!("{}: {why}", path.display()))?;
    Ok(format!("{}.wasm", file.package.name.replace('-', "_")))
}

enum Toolchain {
    /// rustup with the target.
    Rustup,
    /// Debian's rustc-web, cargo-web, rust-web-src and lld: the standard library is built from its sources.
    Debian { linker: PathBuf },
}

async fn toolchain(tools: &Tools<'_>) -> Result<Toolchain, String> {
    let listed = tools.run(Program::new("rustup"), &["target", "list", "--installed"], "").await;
    if listed.is_ok_and(|listed| listed.lines().any(|line| line.trim() == TARGET)) {
        return Ok(Toolchain::Rustup);
    }
    let sysroot = tools.run(Program::new("/usr/bin/rustc"), &["--print", "sysroot"], "").await.unwrap_or_default();
    let sources = Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library/std").is_dir();
    match newest_linker().filter(|_| sources && !sysroot.trim().is_empty()) {
        Some(linker) => Ok(Toolchain::Debian { linker }),
        // A cargo that came without rustup may have the target all the same; it says so itself when it has not.
        None => Ok(Toolchain::Rustup),
    }
}

/// `/usr/bin/wasm-ld-N` of the greatest N.
fn newest_linker() -> Option<PathBuf> {
    let numbered = std::fs::read_dir("/usr/bin").ok()?.flatten().filter_map(|entry| {
        let version = entry.file_name().to_str()?.strip_prefix("wasm-ld-")?.parse::<u32>().ok()?;
        Some((version, entry.path()))
    });
    numbered.max().map(|(_, path)| path)
}
