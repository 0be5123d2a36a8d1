//! This machine: the emulator, what builds need, and Handset's own folders.

use super::super::sdk::Surroundings;
use super::{Area, Check, Examined, Folders, Verdict};

pub(super) fn emulator(here: &Surroundings, examined: &mut Examined) {
    let avds = here.virtual_devices();
    examined.checks.push(match here.emulator() {
        Some(program) => {
            let named = if avds.is_empty() { "no virtual device is set up".to_owned() } else { avds.join(", ") };
            let check = Check::new(
                Area::Android,
                "emulator",
                if avds.is_empty() { Verdict::Note } else { Verdict::Fine },
                format!("{}: {named}", program.display()),
            );
            if avds.is_empty() {
                check.fix("Create one in Android Studio's Device Manager, or with avdmanager.")
            } else {
                check
            }
        }
        None => Check::new(Area::Android, "emulator", Verdict::Note, "the SDK's emulator was not found")
            .fix("Only needed to boot virtual devices: install it with the SDK manager and set ANDROID_HOME."),
    });
}

pub(super) fn gradle(here: &Surroundings, examined: &mut Examined) {
    examined.checks.push(match here.java() {
        Ok(java) => {
            let version = java.version.map_or_else(String::new, |version| format!("Java {version} "));
            Check::new(
                Area::Gradle,
                "java",
                Verdict::Fine,
                format!("{version}at {} (from {})", java.home.display(), java.found_by),
            )
        }
        Err(why) => Check::new(Area::Gradle, "java", Verdict::Note, why).fix(
            "Only needed to build: install a JDK (17 or newer for current Gradle plugins) and set JAVA_HOME to it.",
        ),
    });
    examined.checks.push(match here.android_home() {
        Ok(home) => Check::new(Area::Gradle, "android sdk", Verdict::Fine, home.display().to_string()),
        Err(why) => Check::new(Area::Gradle, "android sdk", Verdict::Note, why)
            .fix("Only needed to build and to boot virtual devices: install the SDK and set ANDROID_HOME to it."),
    });
}

pub(super) fn ios(examined: &mut Examined) {
    examined.checks.push(Check::new(Area::Ios, "ios", Verdict::Note, "this build has no iOS adapter"));
}

pub(super) fn folders(folders: &Folders) -> Vec<Check> {
    let mut checks = Vec::new();
    match &folders.cache {
        None => checks.push(Check::new(
            Area::Handset,
            "cache",
            Verdict::Note,
            "compiled components are not kept: there is no home folder to keep them in",
        )),
        Some(dir) => checks.push(match crate::plugin::cache_usable(dir) {
            Ok(()) => Check::new(Area::Handset, "cache", Verdict::Fine, dir.display().to_string()),
            Err(why) => Check::new(Area::Handset, "cache", Verdict::Warning, why).fix(format!(
                "Without it components are compiled at every start: make {} yours alone (chmod 700).",
                dir.display()
            )),
        }),
    }
    checks.push(match crate::device::lock_folder() {
        Some(dir) => Check::new(Area::Handset, "locks", Verdict::Fine, dir.display().to_string()),
        None => Check::new(
            Area::Handset,
            "locks",
            Verdict::Warning,
            "no lock files can be kept in the temporary folder",
        )
        .fix("Without them two Handset processes do not see each other: make the temporary folder (TMPDIR) writable."),
    });
    checks
}
