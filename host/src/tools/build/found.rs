//! The APK a build made: by what Gradle writes beside it, else the newest of that variant.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;

/// What is built lies this deep beneath its module, and no deeper.
const DEPTH: usize = 9;

/// The APK of a variant, beneath a folder.
pub(super) fn artefact(folder: &Path, variant: &str) -> Option<PathBuf> {
    let (mut metadata, mut apks) = (Vec::new(), Vec::new());
    walk(folder, 0, &mut metadata, &mut apks);
    let named = metadata.iter().filter_map(|file| by_metadata(file, variant));
    let newest = |files: &mut dyn Iterator<Item = PathBuf>| files.max_by_key(|file| modified(file));
    if let Some(named) = newest(&mut { named }) {
        return Some(named);
    }
    let mut alike = apks.into_iter().filter(|file| is_of(file, variant));
    newest(&mut alike)
}

/// `output-metadata.json`: `{"variantName": "debug", "elements": [{"filters": [], "outputFile": "app-debug.apk"}]}`.
fn by_metadata(file: &Path, variant: &str) -> Option<PathBuf> {
    let told: Value = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    let name = told.get("variantName")?.as_str()?;
    if !name.eq_ignore_ascii_case(variant) {
        return None;
    }
    let elements = told.get("elements")?.as_array()?;
    // Of several for different processors the one for all, else the first.
    let plain = |element: &&Value| element.get("filters").and_then(Value::as_array).is_none_or(Vec::is_empty);
    let element = elements.iter().find(plain).or_else(|| elements.first())?;
    let name = element.get("outputFile")?.as_str()?;
    // A name, not a way out of the folder.
    let apk = file.parent()?.join(Path::new(name).file_name()?);
    apk.is_file().then_some(apk)
}

/// Whether an APK's folders or its name say the variant: `free/debug/app-free-debug.apk`.
fn is_of(file: &Path, variant: &str) -> bool {
    let plain = |text: &str| text.replace(['-', '_', '/', '\\'], "").to_ascii_lowercase();
    let wanted = plain(variant);
    let name = file.file_stem().map(|name| plain(&name.to_string_lossy())).unwrap_or_default();
    let folders = file.parent().map(|folder| plain(&folder.to_string_lossy())).unwrap_or_default();
    name.contains(&wanted) || folders.ends_with(&wanted)
}

fn modified(file: &Path) -> SystemTime {
    file.metadata().and_then(|meta| meta.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}

fn walk(folder: &Path, depth: usize, metadata: &mut Vec<PathBuf>, apks: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        // Links are not followed: they may lead round.
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            let passed = matches!(name.as_str(), "node_modules" | "intermediates" | "src" | "androidTest" | "tmp");
            if depth < DEPTH && !passed && !name.starts_with('.') {
                walk(&path, depth + 1, metadata, apks);
            }
        } else if name == "output-metadata.json" {
            metadata.push(path);
        } else if name.ends_with(".apk") && !name.contains("androidTest") {
            apks.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn put(folder: &Path, file: &str, text: &str) -> PathBuf {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn what_gradle_says_beside_it_is_believed_before_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let told = |variant: &str, file: &str| {
            format!(
                r#"{{"version": 3, "variantName": "{variant}", "elements": [{{"filters": [{{"value": "x86"}}], "outputFile": "x86-{file}"}}, {{"filters": [], "outputFile": "{file}"}}]}}"#
            )
        };
        put(folder.path(), "build/outputs/apk/free/debug/output-metadata.json", &told("freeDebug", "shop.apk"));
        let shop = put(folder.path(), "build/outputs/apk/free/debug/shop.apk", "");
        put(
            folder.path(),
            "build/outputs/apk/paid/debug/output-metadata.json",
            &told("paidDebug", "../../../../etc/x.apk"),
        );
        put(folder.path(), "build/intermediates/apk/free/debug/newer-free-debug.apk", "");
        assert_eq!(artefact(folder.path(), "freeDebug"), Some(shop));
        assert_eq!(artefact(folder.path(), "paidDebug"), None, "what is named is not there");
    }

    #[test]
    fn without_it_the_newest_of_the_variant_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let old = put(folder.path(), "flutter-apk/app-free-debug.apk", "");
        put(folder.path(), "flutter-apk/app-release.apk", "");
        assert_eq!(artefact(folder.path(), "freeDebug"), Some(old.clone()));
        let new = put(folder.path(), "apk/free/debug/x.apk", "");
        let file = std::fs::File::options().append(true).open(&old).unwrap();
        file.set_modified(SystemTime::now() - std::time::Duration::from_secs(60)).unwrap();
        assert_eq!(artefact(folder.path(), "freeDebug"), Some(new));
        assert_eq!(artefact(folder.path(), "profile"), None);
    }
}
