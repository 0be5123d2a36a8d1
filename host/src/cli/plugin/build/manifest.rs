//! `plugin.toml` before its component is built: which file, and where its digest goes.

use std::path::{Component, Path, PathBuf};

use crate::plugin::MANIFEST;

/// The manifest's text and the file it names.
pub(super) struct Sheet {
    path: PathBuf,
    text: String,
    pub(super) component: PathBuf,
}

impl Sheet {
    /// Reads the manifest of a folder; its sha256 may still be empty.
    ///
    /// # Errors
    /// What is wrong, naming the file.
    pub(super) fn read(dir: &Path) -> Result<Self, String> {
        let path = dir.join(MANIFEST);
        let text = std::fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
        let table: toml::Table = text.parse().map_err(|why| format!("{}: {why}", path.display()))?;
        let component = table.get("component").and_then(toml::Value::as_str).map(PathBuf::from).unwrap_or_default();
        let inside = component.components().all(|part| matches!(part, Component::Normal(_)));
        if !inside || component.as_os_str().is_empty() {
            return Err(format!("{}: component: must be a file inside the plugin's folder", path.display()));
        }
        Ok(Self { path, text, component })
    }

    /// Writes the digest, and nothing else.
    ///
    /// # Errors
    /// There is no line for it, or the file cannot be written.
    pub(super) fn write(&self, sha256: &str) -> Result<(), String> {
        let text = filled(&self.text, sha256)
            .ok_or_else(|| format!("{}: there is no line sha256 = \"…\" to fill in", self.path.display()))?;
        if text == self.text {
            return Ok(());
        }
        std::fs::write(&self.path, text).map_err(|why| format!("{}: {why}", self.path.display()))
    }
}

/// The text with the digest between the quotes of its top-level `sha256` line.
fn filled(text: &str, sha256: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len() + sha256.len());
    let mut done = false;
    let mut top = true;
    for line in text.split_inclusive('\n') {
        top &= !line.trim_start().starts_with('[');
        let rest =
            line.trim_start().strip_prefix("sha256").map(str::trim_start).and_then(|rest| rest.strip_prefix('='));
        let value = rest.filter(|_| top && !done).map(str::trim_start).and_then(|rest| rest.strip_prefix('"'));
        match value.and_then(|value| value.split_once('"')) {
            Some((_, after)) => {
                out.push_str(&format!("sha256 = \"{sha256}\"{after}"));
                done = true;
            }
            None => out.push_str(line),
        }
    }
    done.then_some(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn only_the_digest_changes() {
        let text =
            "name = \"a\"  # sha256 = \"no\"\nsha256=\"old\"   # filled in\nwit = \"x\"\n[limits]\nsha256 = \"z\"\n";
        let expected = text.replace("sha256=\"old\"", "sha256 = \"new\"");
        assert_eq!(filled(text, "new").unwrap(), expected);
        assert_eq!(filled("name = \"a\"\n", "new"), None);
    }

    #[test]
    fn a_component_outside_the_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for bad in ["../a.wasm", "/a.wasm", ""] {
            std::fs::write(folder.path().join(MANIFEST), format!("component = \"{bad}\"\nsha256 = \"\"\n")).unwrap();
            assert!(Sheet::read(folder.path()).err().unwrap().contains("inside"), "{bad}");
        }
    }
}
