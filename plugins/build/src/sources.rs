//! The digest of everything a component is made of.

use crate::{Outcome, Places, at};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// What counts, below the repository. Folders count with all that is in them.
const SOURCES: &[&str] = &[
    "wit",
    "plugins/Cargo.toml",
    "plugins/Cargo.lock",
    "plugins/sdk",
    "plugins/readiness",
    "plugins/conditions",
    "plugins/steps",
    "plugins/examples",
    "plugins/tests",
];

/// The digest of the sources; a checkout's line endings do not move it.
pub(crate) fn digest(places: &Places) -> Outcome<String> {
    let mut files = Vec::new();
    for source in SOURCES {
        collect(&places.root.join(source), &mut files)?;
    }
    let mut named = Vec::new();
    for file in files {
        let below = file.strip_prefix(&places.root).unwrap_or(&file);
        let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
        named.push((parts.join("/"), file));
    }
    named.sort();
    let mut sum = Sha256::new();
    for (name, file) in named {
        let text = fs::read(&file).map_err(at(&file))?;
        let text = without_carriage_returns(&text);
        sum.update(name.as_bytes());
        sum.update([0]);
        sum.update((text.len() as u64).to_le_bytes());
        sum.update(&text);
    }
    Ok(hex(&sum.finalize()))
}

/// The sha256 of some bytes, in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Outcome<()> {
    if !path.is_dir() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    for entry in fs::read_dir(path).map_err(at(path))? {
        let entry = entry.map_err(at(path))?;
        let name = entry.file_name();
        if name != "target" && !name.to_string_lossy().starts_with('.') {
            collect(&entry.path(), files)?;
        }
    }
    Ok(())
}

fn without_carriage_returns(text: &[u8]) -> Vec<u8> {
    let ends_line = |at: usize| text.get(at + 1) == Some(&b'\n');
    let kept = text
        .iter()
        .enumerate()
        .filter(|&(at, &byte)| byte != b'\r' || !ends_line(at));
    kept.map(|(_, &byte)| byte).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_endings_are_one() {
        assert_eq!(without_carriage_returns(b"a\r\nb\rc\r"), b"a\nb\rc\r");
    }

    #[test]
    fn hexadecimal_keeps_leading_zeros() {
        assert_eq!(hex(&[0, 10, 255]), "000aff");
    }
}
