//! Where Java and the Android SDK are on this machine: looked up, nothing is run.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What is looked at: the environment, and where things stand on this system.
#[derive(Clone, Debug, Default)]
pub(super) struct Surroundings {
    vars: BTreeMap<String, OsString>,
    /// Folders that Android Studio is installed in, its own Java beneath.
    studios: Vec<PathBuf>,
}

/// A Java that can run Gradle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Java {
    /// Its folder, `JAVA_HOME`.
    pub(super) home: PathBuf,
    /// Where it was found: `JAVA_HOME`, `PATH` or `Android Studio`.
    pub(super) found_by: &'static str,
    /// From its `release` file.
    pub(super) version: Option<String>,
}

/// The variables that are read.
const VARIABLES: &[&str] = &[
    "JAVA_HOME",
    "PATH",
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "ANDROID_USER_HOME",
    "ANDROID_AVD_HOME",
    "HOME",
    "USERPROFILE",
    "LOCALAPPDATA",
    "ProgramFiles",
    "MCP_TARGET_PACKAGE",
    "MCP_TARGET_APP_ID",
];

impl Surroundings {
    /// This process's own.
    pub(super) fn here() -> Self {
        let vars = VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var_os(name)?))).collect();
        let mut here = Self { vars, studios: Vec::new() };
        let fixed = ["/opt/android-studio", "/usr/local/android-studio", "/snap/android-studio/current"];
        here.studios = fixed.map(PathBuf::from).into();
        here.studios.push("/Applications/Android Studio.app/Contents".into());
        here.studios.extend(here.path("HOME").map(|home| home.join("android-studio")));
        here.studios.extend(here.path("HOME").map(|home| home.join("Applications/Android Studio.app/Contents")));
        here.studios.extend(here.path("ProgramFiles").map(|programs| programs.join("Android/Android Studio")));
        here
    }

    /// Those of a test.
    #[cfg(test)]
    pub(super) fn of(vars: &[(&str, &Path)], studios: &[&Path]) -> Self {
        Self {
            vars: vars.iter().map(|(name, value)| ((*name).to_owned(), value.as_os_str().to_owned())).collect(),
            studios: studios.iter().map(|path| (*path).to_owned()).collect(),
        }
    }

    /// A variable that is set and not empty.
    pub(super) fn path(&self, name: &str) -> Option<PathBuf> {
        self.vars.get(name).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    /// The app that upstream's clients name for the whole server.
    pub(super) fn target_app(&self) -> Option<String> {
        let named = ["MCP_TARGET_PACKAGE", "MCP_TARGET_APP_ID"].iter().find_map(|name| self.path(name));
        named.map(|app| app.to_string_lossy().into_owned())
    }

    /// A program in `PATH`.
    pub(super) fn program(&self, name: &str) -> Option<PathBuf> {
        let path = self.path("PATH")?;
        std::env::split_paths(&path).find_map(|folder| executable(&folder, name))
    }

    /// The Java that a build would be run with: what the user said, else what a shell finds, else Android Studio's.
    ///
    /// A `JAVA_HOME` without a Java in it is not passed over in silence: Gradle would fail on it.
    ///
    /// # Errors
    /// What is wrong, as a sentence.
    pub(super) fn java(&self) -> Result<Java, String> {
        if let Some(home) = self.path("JAVA_HOME") {
            if executable(&home.join("bin"), "java").is_some() {
                return Ok(java(home, "JAVA_HOME"));
            }
            return Err(format!("JAVA_HOME is {}, and there is no bin/java in it", home.display()));
        }
        if let Some(program) = self.program("java") {
            let real = std::fs::canonicalize(&program).unwrap_or(program);
            // …/bin/java; of an old JDK …/jre/bin/java. macOS's /usr/bin/java is a stub that finds one by itself.
            let home = real.parent().and_then(Path::parent).unwrap_or(Path::new("/usr"));
            return Ok(java(home.to_owned(), "PATH"));
        }
        let own =
            self.studios.iter().flat_map(|studio| ["jbr", "jbr/Contents/Home", "jre"].map(|jbr| studio.join(jbr)));
        let own = own.into_iter().find(|home| executable(&home.join("bin"), "java").is_some());
        own.map(|home| java(home, "Android Studio")).ok_or_else(|| {
            "no Java was found: JAVA_HOME is not set, java is not in PATH, and there is no Android Studio".to_owned()
        })
    }

    /// The Android SDK: what the user said, else where installers put it.
    ///
    /// # Errors
    /// What is wrong, as a sentence.
    pub(super) fn android_home(&self) -> Result<PathBuf, String> {
        for name in ["ANDROID_HOME", "ANDROID_SDK_ROOT"] {
            if let Some(home) = self.path(name) {
                return if home.is_dir() {
                    Ok(home)
                } else {
                    Err(format!("{name} is {}, and there is no such folder", home.display()))
                };
            }
        }
        let usual = [
            self.path("HOME").map(|home| home.join("Android/Sdk")),
            self.path("HOME").map(|home| home.join("Library/Android/sdk")),
            self.path("LOCALAPPDATA").map(|data| data.join("Android/Sdk")),
        ];
        usual.into_iter().flatten().find(|home| home.is_dir()).ok_or_else(|| {
            "no Android SDK was found: ANDROID_HOME is not set, and none is where installers put it".to_owned()
        })
    }

    /// The SDK's emulator.
    pub(super) fn emulator(&self) -> Option<PathBuf> {
        let own = self.android_home().ok().and_then(|home| executable(&home.join("emulator"), "emulator"));
        own.or_else(|| self.program("emulator"))
    }

    /// Names of the virtual devices that are set up.
    pub(super) fn virtual_devices(&self) -> Vec<String> {
        let folder = self
            .path("ANDROID_AVD_HOME")
            .or_else(|| self.path("ANDROID_USER_HOME").map(|home| home.join("avd")))
            .or_else(|| self.path("HOME").or_else(|| self.path("USERPROFILE")).map(|home| home.join(".android/avd")));
        let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "ini"))
            .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
            .collect();
        names.sort();
        names
    }
}

fn java(home: PathBuf, found_by: &'static str) -> Java {
    let release = std::fs::read_to_string(home.join("release")).unwrap_or_default();
    let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="));
    Java { version: version.map(|version| version.trim_matches('"').to_owned()), home, found_by }
}

/// A file of that name that this system would run.
pub(super) fn executable(folder: &Path, name: &str) -> Option<PathBuf> {
    let names = if cfg!(windows) {
        vec![format!("{name}.exe"), format!("{name}.bat"), format!("{name}.cmd")]
    } else {
        vec![name.to_owned()]
    };
    names.into_iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn with_java(home: &Path) -> &Path {
        std::fs::create_dir_all(home.join("bin")).unwrap();
        let name = if cfg!(windows) { "java.exe" } else { "java" };
        std::fs::write(home.join("bin").join(name), "").unwrap();
        std::fs::write(home.join("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"17.0.9\"\n").unwrap();
        home
    }

    #[test]
    fn java_is_what_the_user_says_then_what_a_shell_finds_then_android_studios() {
        let folder = tempfile::tempdir().unwrap();
        let (said, found, studio) =
            (folder.path().join("said"), folder.path().join("found"), folder.path().join("studio"));
        with_java(&said);
        with_java(&found);
        with_java(&studio.join("jbr"));
        let bin = found.join("bin");
        let java = |vars: &[(&str, &Path)]| Surroundings::of(vars, &[&studio]).java();
        let told = java(&[("JAVA_HOME", &said), ("PATH", &bin)]).unwrap();
        assert_eq!((told.home, told.found_by, told.version.as_deref()), (said, "JAVA_HOME", Some("17.0.9")));
        assert_eq!(java(&[("PATH", &bin)]).unwrap().found_by, "PATH");
        assert_eq!(java(&[]).unwrap().home, studio.join("jbr"));
    }

    #[test]
    fn a_java_home_without_java_is_said_and_not_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let found = folder.path().join("found");
        with_java(&found);
        let nowhere = folder.path().join("nowhere");
        let told = Surroundings::of(&[("JAVA_HOME", &nowhere), ("PATH", &found.join("bin"))], &[]).java().unwrap_err();
        assert!(told.contains("JAVA_HOME is") && told.contains("nowhere"), "{told}");
        assert!(Surroundings::of(&[], &[]).java().unwrap_err().contains("no Java was found"));
    }

    #[test]
    fn an_sdk_is_looked_for_where_installers_put_it_unless_it_was_named() {
        let folder = tempfile::tempdir().unwrap();
        let sdk = folder.path().join("Android/Sdk");
        std::fs::create_dir_all(sdk.join("emulator")).unwrap();
        let here = Surroundings::of(&[("HOME", folder.path())], &[]);
        assert_eq!(here.android_home(), Ok(sdk.clone()));
        assert_eq!(here.emulator(), None);
        let nowhere = folder.path().join("x");
        let told = Surroundings::of(&[("HOME", folder.path()), ("ANDROID_HOME", &nowhere)], &[]).android_home();
        assert!(told.unwrap_err().contains("ANDROID_HOME is"));
        std::fs::create_dir_all(folder.path().join(".android/avd/Pixel_8.avd")).unwrap();
        std::fs::write(folder.path().join(".android/avd/Pixel_8.ini"), "").unwrap();
        assert_eq!(here.virtual_devices(), ["Pixel_8"]);
    }
}
