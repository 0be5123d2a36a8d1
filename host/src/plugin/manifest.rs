//! `plugin.toml`, read strictly: every member is known, every file is the one it says.

use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::evidence::is_kebab;
use super::limits::{MAX_MEMORY_MIB, NAME};
use super::problem::Problem;

/// The file that makes a folder a plugin.
pub const MANIFEST: &str = "plugin.toml";
/// The door this host opens.
pub const WIT: &str = "handset:plugin@0.1.0";
/// A manifest is a page, not a book.
const MAX_MANIFEST: u64 = 64 << 10;
/// Componentised Python is 18 MB.
const MAX_COMPONENT: u64 = 128 << 20;

/// What a manifest says.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Kebab-case; what it provides is `name/thing`.
    pub name: String,
    /// Its own version, free text.
    pub version: String,
    /// The component, relative to the manifest and inside its folder.
    pub component: PathBuf,
    /// Lower-case hexadecimal digest of the component's bytes.
    pub sha256: String,
    /// The door it was built against, such as `handset:plugin@0.1.0`.
    pub wit: String,
    /// What it asks for.
    #[serde(default)]
    pub requests: Requests,
    /// What it needs.
    #[serde(default)]
    pub limits: ManifestLimits,
}

/// `[requests]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requests {
    /// `observe`, `input:TOOL`, `lifecycle:TOOL`, `logs:TOOL`, `files:DIR`.
    #[serde(default)]
    pub grants: Vec<String>,
}

/// `[limits]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestLimits {
    /// All memories and tables of a call, MiB, 1–512.
    pub memory_mib: Option<u32>,
}

/// A manifest with the bytes it vouches for.
#[derive(Clone, Debug)]
pub(super) struct Package {
    pub(super) manifest: Manifest,
    pub(super) component: PathBuf,
    pub(super) wasm: Vec<u8>,
}

/// Reads a plugin's folder. The name comes back even from a manifest that is refused, where it has one.
///
/// # Errors
/// The first [`Problem`] found, naming file and member.
pub(super) fn read(folder: &Path) -> Result<Package, (Option<String>, Problem)> {
    let path = folder.join(MANIFEST);
    let text = read_bounded(&path, MAX_MANIFEST).map_err(|problem| (None, problem))?;
    let text =
        String::from_utf8(text).map_err(|_| (None, Problem::manifest(format!("{}: not UTF-8", path.display()))))?;
    let manifest: Manifest = toml::from_str(&text).map_err(|error| (name_of(&text), at_line(&path, &text, &error)))?;
    let name = Some(manifest.name.clone());
    load(folder, &path, manifest).map_err(|problem| (name, problem))
}

fn load(folder: &Path, path: &Path, manifest: Manifest) -> Result<Package, Problem> {
    let shown = path.display();
    if !is_kebab(&manifest.name) {
        return Err(Problem::name(format!("{shown}: name: {:?} is no plugin name", manifest.name)));
    }
    if manifest.version.is_empty() || manifest.version.len() > NAME || manifest.version.contains(char::is_control) {
        return Err(Problem::manifest(format!("{shown}: version: give 1 to {NAME} printable characters")));
    }
    supported(&manifest.wit).map_err(|why| Problem::wit(format!("{shown}: wit: {why}")))?;
    if manifest.limits.memory_mib.is_some_and(|mib| !(1..=MAX_MEMORY_MIB).contains(&mib)) {
        return Err(Problem::limit(format!("{shown}: limits.memory_mib: out of range")));
    }
    if manifest.sha256.is_empty() {
        return Err(Problem::manifest(format!(
            "{shown}: sha256: empty; run `handset plugin build DIR`, which fills it in"
        )));
    }
    if manifest.sha256.len() != 64 || !manifest.sha256.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
        return Err(Problem::manifest(format!("{shown}: sha256: 64 lower-case hexadecimal digits are expected")));
    }
    let inside = manifest.component.components().all(|part| matches!(part, Component::Normal(_)));
    if !inside || manifest.component.as_os_str().is_empty() {
        return Err(Problem::manifest(format!("{shown}: component: must be a file inside the plugin's folder")));
    }
    let component = folder.join(&manifest.component);
    let wasm = read_bounded(&component, MAX_COMPONENT)?;
    let digest = hex(&Sha256::digest(&wasm));
    if digest != manifest.sha256 {
        return Err(Problem::sha256(format!(
            "{shown}: sha256: {} is {digest}, the manifest says {}",
            component.display(),
            manifest.sha256
        )));
    }
    Ok(Package { manifest, component, wasm })
}

/// Whether a plugin built against `wit` can be tried here. Growth is by new functions, so a newer
/// 0.1 is let through to the linker, which knows whether it uses any.
///
/// # Errors
/// A sentence that names what is supported.
pub(super) fn supported(wit: &str) -> Result<(), String> {
    let fits = wit.strip_prefix("handset:plugin@0.1.").is_some_and(|patch| patch.parse::<u32>().is_ok());
    if fits { Ok(()) } else { Err(format!("{wit:?} is not supported; this host opens {WIT}")) }
}

/// Lower-case hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// sha256 as lower-case hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, Problem> {
    use std::io::Read as _;
    let unreadable = |why: std::io::Error| Problem::unreadable(format!("{}: {why}", path.display()));
    // Asked before it is opened: opening a pipe would wait for a writer.
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(Problem::unreadable(format!("{}: not a regular file", path.display())));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path).map_err(unreadable)?.take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(Problem::unreadable(format!("{}: larger than {} KiB", path.display(), limit >> 10)));
    }
    Ok(bytes)
}

fn at_line(path: &Path, text: &str, error: &toml::de::Error) -> Problem {
    let line = error.span().map_or(1, |span| 1 + text.get(..span.start).unwrap_or(text).matches('\n').count());
    Problem::manifest(format!("{}:{line}: {}", path.display(), error.message()))
}

/// The name of a manifest that is TOML but not a manifest, so that its refusal can be listed under it.
fn name_of(text: &str) -> Option<String> {
    let table: toml::Table = text.parse().ok()?;
    table.get("name")?.as_str().filter(|name| is_kebab(name)).map(str::to_owned)
}
