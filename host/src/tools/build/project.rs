//! What a project is made with, and the command that builds a variant of it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use handset_model::{Code, Failure};

use crate::process::{Command, Program};
use crate::tools::args::ProjectType;
use crate::tools::sdk::{Surroundings, executable};

/// Folders above a module in which its wrapper may stand.
const ABOVE: usize = 3;

/// Modules lie this deep beneath the wrapper, and no deeper.
const DEPTH: usize = 3;

/// A build, ready to be run.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) kind: ProjectType,
    /// As Gradle names it: `debug`, `freeDebug`.
    pub(super) variant: String,
    pub(super) command: Command,
    /// Where what it builds is looked for.
    pub(super) outputs: PathBuf,
    /// The Java it runs with, and where that was found.
    pub(super) java: Option<String>,
}

/// Finds out how a project is built; runs nothing.
///
/// # Errors
/// `INVALID_ARGUMENT` naming the member; `TOOL_NOT_FOUND` naming what is missing and what to do.
pub(super) fn plan(
    path: &str,
    kind: Option<ProjectType>,
    variant: Option<&str>,
    here: &Surroundings,
) -> Result<Plan, Failure> {
    let folder = folder(path)?;
    let variant = variant_of(variant)?;
    let kind = match kind {
        Some(kind) => kind,
        None => detect(&folder).ok_or_else(|| {
            Failure::argument("projectPath", format!("{} is no project that is known how to build", folder.display()))
                .with_remedy(
                    "Pass the folder with gradlew, pubspec.yaml or React Native's package.json, or name projectType.",
                )
        })?,
    };
    match kind {
        ProjectType::Flutter => flutter(folder, variant, here),
        ProjectType::ReactNative => {
            let android = folder.join("android");
            if !android.is_dir() {
                let message = format!("{} has no android folder", folder.display());
                return Err(Failure::argument("projectPath", message)
                    .with_remedy("Expo projects get one from `npx expo prebuild`."));
            }
            gradle(kind, &android, variant, here)
        }
        ProjectType::Native | ProjectType::Kmp => gradle(kind, &folder, variant, here),
    }
}

fn folder(path: &str) -> Result<PathBuf, Failure> {
    let refused = |why: String| {
        Failure::argument("projectPath", why)
            .with_remedy("Pass the absolute path of a folder on the machine Handset runs on.")
    };
    if path.contains(char::is_control) {
        return Err(refused("the path has a control character in it".to_owned()));
    }
    let folder = std::fs::canonicalize(path).map_err(|error| refused(format!("{path:?} cannot be read: {error}")))?;
    if folder.is_dir() { Ok(folder) } else { Err(refused(format!("{path:?} is no folder"))) }
}

/// A variant's name, however it is written: `release`, `FreeDebug`, `assembleFreeDebug`.
fn variant_of(asked: Option<&str>) -> Result<String, Failure> {
    let asked = asked.unwrap_or("debug");
    let name = asked
        .strip_prefix("assemble")
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
        .unwrap_or(asked);
    let fits = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if fits {
        return Ok(with_first(name, |c| c.to_ascii_lowercase()));
    }
    Err(Failure::argument("variant", format!("{asked:?} is no build variant"))
        .with_remedy("Pass flavour and build type in one word, such as debug, release or freeDebug."))
}

fn with_first(word: &str, change: impl Fn(char) -> char) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| format!("{}{}", change(first), chars.as_str())).unwrap_or_default()
}

/// What a project is made with, by its files.
pub(super) fn detect(folder: &Path) -> Option<ProjectType> {
    if folder.join("pubspec.yaml").is_file() {
        return Some(ProjectType::Flutter);
    }
    if text(&folder.join("package.json")).contains("\"react-native\"") && folder.join("android").is_dir() {
        return Some(ProjectType::ReactNative);
    }
    let root = wrapper(folder).map(|(root, _)| root).or_else(|| settings(folder).then(|| folder.to_owned()))?;
    let mut multiplatform = false;
    scripts(&root, 0, &mut |_, script| {
        multiplatform |= [
            "kotlin(\"multiplatform\")",
            "org.jetbrains.kotlin.multiplatform",
            "kotlinMultiplatform",
            "kotlin.multiplatform",
        ]
        .iter()
        .any(|words| script.contains(words));
    });
    Some(if multiplatform { ProjectType::Kmp } else { ProjectType::Native })
}

fn settings(folder: &Path) -> bool {
    ["settings.gradle", "settings.gradle.kts"].iter().any(|name| folder.join(name).is_file())
}

fn text(path: &Path) -> String {
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// Gradle's wrapper, in a folder or above it: a module may be named instead of its project.
fn wrapper(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let name = if cfg!(windows) { "gradlew.bat" } else { "gradlew" };
    folder.ancestors().take(ABOVE + 1).find_map(|root| {
        let file = root.join(name);
        file.is_file().then(|| (root.to_owned(), file))
    })
}

/// Tells of each module's build script: its folder, and the text.
fn scripts(folder: &Path, depth: usize, tell: &mut impl FnMut(&Path, &str)) {
    for name in ["build.gradle", "build.gradle.kts"] {
        let script = text(&folder.join(name));
        if !script.is_empty() {
            tell(folder, &script);
        }
    }
    if depth >= DEPTH {
        return;
    }
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let inside = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if inside && !name.starts_with('.') && !matches!(name.as_str(), "build" | "src" | "node_modules" | "gradle") {
            scripts(&entry.path(), depth + 1, tell);
        }
    }
}

/// Modules that build an app.
fn applications(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    scripts(root, 0, &mut |folder, script| {
        let words = ["com.android.application", "plugins.android.application", "plugins.androidApplication"];
        // A root script often only names the plugin for its modules.
        let applied =
            script.lines().any(|line| words.iter().any(|word| line.contains(word)) && !line.contains("apply false"));
        let classpath = folder == root && !script.contains("android {") && !script.contains("android{");
        if applied && !classpath {
            found.push(folder.to_owned());
        }
    });
    found.sort();
    found.dedup();
    found
}

fn gradle(kind: ProjectType, folder: &Path, variant: String, here: &Surroundings) -> Result<Plan, Failure> {
    let Some((root, wrapper)) = wrapper(folder) else {
        let message = format!("{} has no Gradle wrapper (gradlew)", folder.display());
        let remedy =
            "Run `gradle wrapper` in the project once, and commit what it makes; or pass the folder that has it.";
        return Err(Failure::new(Code::ToolNotFound, message).with_remedy(remedy));
    };
    let java = here.java().map_err(|why| {
        let remedy =
            "Install a JDK (17 or newer for current Gradle plugins), set JAVA_HOME to it, and start the server again.";
        Failure::new(Code::ToolNotFound, format!("Gradle needs Java, and {why}")).with_remedy(remedy)
    })?;
    let capital = with_first(&variant, |c| c.to_ascii_uppercase());
    let named = applications(&root)
        .into_iter()
        .filter(|module| folder == root || module.starts_with(folder))
        .collect::<Vec<_>>();
    // Of several apps Gradle builds all: which one is meant cannot be told.
    let (task, outputs) = match named.as_slice() {
        [module] => (format!("{}assemble{capital}", prefix(&root, module)), module.clone()),
        _ => (format!("assemble{capital}"), folder.to_owned()),
    };
    let mut program = if cfg!(windows) { Program::new(wrapper) } else { sh(&wrapper) };
    program.env.push(("JAVA_HOME".into(), java.home.clone().into()));
    program.env.extend(sdk(&root, here));
    // A daemon would outlive the build, and with it us.
    let mut command = program.command([task.as_str(), "--no-daemon", "--console=plain"]);
    command.folder = Some(root);
    let version = java.version.map_or_else(String::new, |version| format!("{version}, "));
    let java = Some(format!("{} ({version}from {})", java.home.display(), java.found_by));
    Ok(Plan { kind, variant, command, outputs, java })
}

/// The wrapper is a script for any shell; checked out on another system it may not be executable.
fn sh(wrapper: &Path) -> Program {
    Program { leading: vec![wrapper.into()], ..Program::new("sh") }
}

/// `:shared:app:` of a module; nothing of the root.
fn prefix(root: &Path, module: &Path) -> String {
    let names = module.strip_prefix(root).into_iter().flat_map(Path::components);
    let names: Vec<String> = names.map(|name| name.as_os_str().to_string_lossy().into_owned()).collect();
    if names.is_empty() { String::new() } else { format!(":{}:", names.join(":")) }
}

/// Where the SDK is, unless the project says so itself.
fn sdk(root: &Path, here: &Surroundings) -> Option<(OsString, OsString)> {
    let said = text(&root.join("local.properties")).lines().any(|line| line.trim_start().starts_with("sdk.dir"));
    here.android_home().ok().filter(|_| !said).map(|home| ("ANDROID_HOME".into(), home.into()))
}

fn flutter(folder: PathBuf, variant: String, here: &Surroundings) -> Result<Plan, Failure> {
    if !folder.join("pubspec.yaml").is_file() {
        let message = format!("{} has no pubspec.yaml", folder.display());
        return Err(Failure::argument("projectPath", message).with_remedy("Pass the folder of the Flutter project."));
    }
    // The project's own, as fvm pins it, before any other.
    let program = executable(&folder.join(".fvm/flutter_sdk/bin"), "flutter").or_else(|| here.program("flutter"));
    let Some(program) = program else {
        return Err(Failure::new(
            Code::ToolNotFound,
            "flutter was not found in PATH, and the project pins none with fvm",
        )
        .with_remedy("Install Flutter, put its bin folder into PATH, and start the server again."));
    };
    let lower = variant.to_ascii_lowercase();
    let mode = ["debug", "profile", "release"].into_iter().find(|mode| lower.ends_with(mode));
    let (flavor, mode) = match mode {
        Some(mode) => (variant.get(..variant.len() - mode.len()).unwrap_or_default().to_owned(), mode),
        None => (variant.clone(), "debug"),
    };
    let mut args: Vec<OsString> = ["--no-color", "build", "apk"].map(OsString::from).into();
    args.push(format!("--{mode}").into());
    if !flavor.is_empty() {
        args.extend(["--flavor".into(), OsString::from(&flavor)]);
    }
    let mut program = Program::new(program);
    let java = here.java().ok();
    program.env.extend(java.as_ref().map(|java| ("JAVA_HOME".into(), java.home.clone().into())));
    program.env.extend(sdk(&folder.join("android"), here));
    let mut command = program.command(args);
    let outputs = folder.join("build/app/outputs");
    command.folder = Some(folder);
    Ok(Plan {
        kind: ProjectType::Flutter,
        variant,
        command,
        outputs,
        java: java.map(|java| java.home.display().to_string()),
    })
}

/// The type's name on the wire.
pub(super) const fn word(kind: ProjectType) -> &'static str {
    match kind {
        ProjectType::Native => "native",
        ProjectType::Kmp => "kmp",
        ProjectType::ReactNative => "react-native",
        ProjectType::Flutter => "flutter",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn made(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    const WRAPPER: (&str, &str) = (if cfg!(windows) { "gradlew.bat" } else { "gradlew" }, "");
    const APP: &str = "plugins { id(\"com.android.application\") }";

    fn here() -> (Surroundings, tempfile::TempDir) {
        let java = made(&[("bin/java", ""), ("bin/java.exe", "")]);
        (Surroundings::of(&[("JAVA_HOME", java.path())], &[]), java)
    }

    fn task(folder: &Path, variant: Option<&str>) -> String {
        let (here, _java) = here();
        let plan = plan(folder.to_str().unwrap(), None, variant, &here).unwrap();
        plan.command.args[0].to_string_lossy().into_owned()
    }

    #[test]
    fn a_project_is_known_by_its_files() {
        let shared = "plugins { kotlin(\"multiplatform\") }";
        for (files, kind) in [
            (vec![WRAPPER, ("app/build.gradle", "apply plugin: 'com.android.application'")], Some(ProjectType::Native)),
            (
                vec![WRAPPER, ("androidApp/build.gradle.kts", APP), ("shared/build.gradle.kts", shared)],
                Some(ProjectType::Kmp),
            ),
            (
                vec![
                    ("package.json", r#"{"dependencies": {"react-native": "0.76.0"}}"#),
                    ("android/settings.gradle", ""),
                ],
                Some(ProjectType::ReactNative),
            ),
            (vec![("pubspec.yaml", "name: x"), ("android/build.gradle", "")], Some(ProjectType::Flutter)),
            (vec![("package.json", "{}")], None),
        ] {
            assert_eq!(detect(made(&files).path()), kind, "{files:?}");
        }
    }

    #[test]
    fn the_one_app_of_a_project_is_built_and_of_several_all() {
        let one = made(&[
            WRAPPER,
            ("build.gradle.kts", "plugins { id(\"com.android.application\") version \"8.7\" apply false }"),
            ("feature/app/build.gradle.kts", APP),
            ("lib/build.gradle.kts", ""),
        ]);
        assert_eq!(task(one.path(), Some("freeDebug")), ":feature:app:assembleFreeDebug");
        assert_eq!(task(one.path(), Some("assembleRelease")), ":feature:app:assembleRelease");
        let catalogue =
            made(&[WRAPPER, ("androidApp/build.gradle.kts", "plugins { alias(libs.plugins.androidApplication) }")]);
        assert_eq!(task(catalogue.path(), None), ":androidApp:assembleDebug");
        let two = made(&[WRAPPER, ("a/build.gradle.kts", APP), ("b/build.gradle.kts", APP)]);
        assert_eq!(task(two.path(), None), "assembleDebug");
        // A module may be named: its wrapper stands above it.
        assert_eq!(task(&two.path().join("b"), None), ":b:assembleDebug");
    }

    #[test]
    fn where_the_sdk_is_is_told_unless_the_project_says_so() {
        let sdk = tempfile::tempdir().unwrap();
        let java = made(&[("bin/java", ""), ("bin/java.exe", "")]);
        let here = Surroundings::of(&[("JAVA_HOME", java.path()), ("ANDROID_HOME", sdk.path())], &[]);
        let told = |folder: &tempfile::TempDir| {
            let plan = plan(folder.path().to_str().unwrap(), None, None, &here).unwrap();
            plan.command.program.env.iter().any(|(name, _)| name == "ANDROID_HOME")
        };
        assert!(told(&made(&[WRAPPER, ("app/build.gradle", APP)])));
        assert!(!told(&made(&[WRAPPER, ("app/build.gradle", APP), ("local.properties", "sdk.dir=/x\n")])));
    }
}
