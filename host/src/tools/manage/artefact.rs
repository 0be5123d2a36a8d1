//! Which files are meant: one APK, a folder or list of splits, the APK a project has built.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use handset_model::{Code, Failure};
use serde_json::json;

use crate::tools::args::ProjectType;

/// Files of one app, ready to be installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::tools) struct Artefact {
    /// One APK, or a base and its splits; absolute.
    pub(in crate::tools) files: Vec<PathBuf>,
    /// All of them together.
    pub(in crate::tools) bytes: u64,
}

/// A build lies this deep in its project, and no deeper.
const DEPTH: usize = 8;

/// A project of more entries than this is looked through no further.
const ENTRIES: usize = 50_000;

/// What holds no build of the app, and much else.
const PASSED: [&str; 8] = ["node_modules", "intermediates", "tmp", "kotlin", "caches", "Pods", "src", "generated"];

/// Files that make a folder a project.
const PROJECT: [&str; 8] = [
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "pubspec.yaml",
    "package.json",
    "gradlew",
    "build",
];

/// Finds what a path means.
///
/// # Errors
/// `INVALID_ARGUMENT` naming `appPath`, with what would do.
pub(in crate::tools) fn find(path: &str, splits: &[String], kind: Option<ProjectType>) -> Result<Artefact, Failure> {
    let first = there("appPath", path)?;
    if !splits.is_empty() {
        let more = splits.iter().map(|split| there("splitPaths", split));
        let files: Vec<PathBuf> = std::iter::once(Ok(first)).chain(more).collect::<Result<_, _>>()?;
        return artefact(files);
    }
    if first.is_file() {
        return artefact(vec![first]);
    }
    let inside = apks_in(&first);
    let project = PROJECT.iter().any(|name| first.join(name).exists());
    if !inside.is_empty() && !project {
        return artefact(inside);
    }
    built(&first, kind)
}

fn there(member: &str, path: &str) -> Result<PathBuf, Failure> {
    if path.contains(char::is_control) {
        return Err(Failure::argument(member, "the path has a control character in it"));
    }
    std::fs::canonicalize(path).map_err(|error| {
        Failure::argument(member, format!("{path:?} cannot be read: {error}"))
            .with_remedy("Pass an absolute path on the machine Handset runs on.")
    })
}

/// Checks that each is an APK, and adds up their sizes.
fn artefact(files: Vec<PathBuf>) -> Result<Artefact, Failure> {
    let mut bytes = 0;
    for file in &files {
        let ending = extension(file);
        if ending != "apk" {
            return Err(other(file, &ending));
        }
        let meta = file.metadata().ok().filter(std::fs::Metadata::is_file);
        let Some(meta) = meta else {
            return Err(Failure::argument("appPath", format!("{} is no file", file.display())));
        };
        bytes += meta.len();
    }
    Ok(Artefact { files, bytes })
}

fn extension(file: &Path) -> String {
    file.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// What is no APK, with what to do about it.
fn other(file: &Path, ending: &str) -> Failure {
    let shown = file.display();
    match ending {
        "xapk" | "apkm" => Failure::argument("appPath", format!("{shown} is an archive of APKs"))
            .with_remedy("Unpack it, and pass the folder with its APKs."),
        "app" | "ipa" => Failure::new(Code::Unsupported, format!("{shown} needs an iOS adapter")),
        _ => Failure::argument("appPath", format!("{shown} is no APK"))
            .with_remedy("Pass an .apk, a folder with one app's APKs, or a project's folder."),
    }
}

/// The APKs right in a folder, in order: the base before its splits.
fn apks_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_file() && extension(path) == "apk").collect();
    files.sort_by_key(|file| (!name(file).starts_with("base"), file.clone()));
    files
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The APK a project has built: from Gradle's and Flutter's output folders.
fn built(project: &Path, kind: Option<ProjectType>) -> Result<Artefact, Failure> {
    let mut found = BTreeSet::new();
    let mut left = ENTRIES;
    walk(project, 0, &mut left, &mut found);
    let mut candidates: Vec<PathBuf> = found.into_iter().filter(|file| is_app(file)).collect();
    if kind == Some(ProjectType::Flutter) || candidates.iter().any(|file| in_folder(file, "flutter-apk")) {
        // Flutter copies what Gradle built there.
        let flutter: Vec<PathBuf> = candidates.iter().filter(|file| in_folder(file, "flutter-apk")).cloned().collect();
        if !flutter.is_empty() {
            candidates = flutter;
        }
    }
    let debug: Vec<PathBuf> = candidates.iter().filter(|file| name(file).contains("debug")).cloned().collect();
    match (candidates.as_slice(), debug.as_slice()) {
        ([one], _) | (_, [one]) => artefact(vec![one.clone()]),
        ([], _) => Err(Failure::argument("appPath", format!("{} holds no built APK", project.display()))
            .with_remedy("Build it first (build_app), or pass the APK itself.")),
        (several, _) => {
            let message = format!("{} holds {} built APKs", project.display(), several.len());
            Err(Failure::argument("appPath", message)
                .with_remedy("Pass one of them.")
                .with_candidates(several.iter().map(|file| json!(file.display().to_string())).collect()))
        }
    }
}

fn in_folder(file: &Path, folder: &str) -> bool {
    file.components().any(|part| part.as_os_str() == folder)
}

/// Neither the app's tests nor what is not signed yet.
fn is_app(file: &Path) -> bool {
    let name = name(file);
    !name.contains("androidTest") && !name.contains("unsigned") && !in_folder(file, "androidTest")
}

fn walk(folder: &Path, depth: usize, left: &mut usize, found: &mut BTreeSet<PathBuf>) {
    let outputs = in_folder(folder, "outputs") || in_folder(folder, "flutter-apk");
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if *left == 0 {
            return;
        }
        *left -= 1;
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        // Links are not followed: they may lead round.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => {
                let passed = name.starts_with('.') || PASSED.contains(&name.as_str());
                if depth < DEPTH && !passed {
                    walk(&path, depth + 1, left, found);
                }
            }
            Ok(kind) if kind.is_file() && outputs && extension(&path) == "apk" => {
                found.insert(path);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn project(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, b"PK").unwrap();
        }
        folder
    }

    fn names(folder: &tempfile::TempDir) -> Vec<String> {
        let found = find(folder.path().to_str().unwrap(), &[], None).unwrap();
        found.files.iter().map(|file| name(file)).collect()
    }

    #[test]
    fn a_folder_of_apks_is_one_app_in_splits_the_base_first() {
        assert_eq!(names(&project(&["a_split.apk", "base.apk", "notes.txt"])), ["base.apk", "a_split.apk"]);
    }

    #[test]
    fn a_project_gives_its_debug_build_and_neither_tests_nor_what_is_not_signed() {
        let gradle = project(&[
            "build.gradle",
            "app/build/outputs/apk/debug/app-debug.apk",
            "app/build/outputs/apk/release/app-release-unsigned.apk",
            "app/build/outputs/apk/androidTest/debug/app-debug-androidTest.apk",
            "app/build/intermediates/apk/debug/app-debug.apk",
            "node_modules/x/build/outputs/apk/debug/x-debug.apk",
        ]);
        assert_eq!(names(&gradle), ["app-debug.apk"]);
        let flutter = project(&[
            "pubspec.yaml",
            "build/app/outputs/flutter-apk/app-debug.apk",
            "build/app/outputs/apk/debug/app-debug.apk",
        ]);
        assert_eq!(names(&flutter), ["app-debug.apk"]);
    }

    #[test]
    fn several_builds_are_listed_and_none_is_said_to_be_built_where_there_is_none() {
        let two = project(&["gradlew", "a/build/outputs/apk/a-debug.apk", "b/build/outputs/apk/b-debug.apk"]);
        let failure = find(two.path().to_str().unwrap(), &[], None).unwrap_err();
        assert_eq!((failure.member.as_deref(), failure.candidates.len()), (Some("appPath"), 2));
        let none = project(&["gradlew"]);
        let failure = find(none.path().to_str().unwrap(), &[], None).unwrap_err();
        assert!(failure.message.contains("no built APK"), "{failure}");
    }

    #[test]
    fn what_is_no_apk_says_what_would_do() {
        let folder = project(&["a.xapk", "b.txt", "c.ipa"]);
        for (file, words) in [("a.xapk", "Unpack it"), ("b.txt", "Pass an .apk"), ("gone.apk", "absolute path")] {
            let path = folder.path().join(file);
            let failure = find(path.to_str().unwrap(), &[], None).unwrap_err();
            assert!(failure.remedy.as_deref().unwrap().contains(words), "{failure:?}");
        }
        let path = folder.path().join("c.ipa");
        assert_eq!(find(path.to_str().unwrap(), &[], None).unwrap_err().code, Code::Unsupported);
        assert_eq!(find("/a\nb.apk", &[], None).unwrap_err().member.as_deref(), Some("appPath"));
    }
}
