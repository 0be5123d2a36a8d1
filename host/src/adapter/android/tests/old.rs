//! A device before Android 7: no shell_v2, so one stream with CR LF and no exit status, and a shell whose linker warns as it
//! starts. Its line runs in this system's mksh, or its sh.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use handset_model::android::parse_resumed_activity;
use handset_model::snapshot::DeviceKey;
use tempfile::TempDir;

use super::rig::{android, budget};
use crate::adapter::android::Android;
use crate::device::{Adapter, Input, Pinned};
use crate::process::Program;

/// Commands as scripts in a folder.
struct Old {
    android: Android,
    device: Pinned,
    bin: TempDir,
}

impl Old {
    fn new() -> Self {
        let bin = tempfile::tempdir().unwrap();
        let shell = if Path::new("/bin/mksh").exists() { "/bin/mksh" } else { "/bin/sh" };
        let script = format!(
            "case $* in *devices*) echo 'a device transport_id:1'; exit;; esac
for line; do :; done
PATH={}:$PATH; export PATH
cr=$(printf '\\r')
{{ echo 'WARNING: linker: sh has text relocations. This is wasting memory'; {shell} -c \"$line\"; }} 2>&1 </dev/null | sed \"s/\\$/$cr/\"",
            bin.path().display()
        );
        let android =
            android(Program { leading: vec!["-c".into(), script.into(), "adb".into()], ..Program::new("sh") });
        let device = Pinned { key: DeviceKey { platform: "android", id: "a".to_owned() }, connection: 1, model: None };
        let old = Self { android, device, bin };
        old.has("input", "echo \"$*\" >>\"${0%/*}/inputs\"");
        old
    }

    fn has(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.bin.path().join(name);
        std::fs::write(
            &path,
            format!("#!/bin/sh\necho 'WARNING: linker: {name} has text relocations' >&2\n{script}\n"),
        )
        .unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    async fn front(&self) -> Option<(String, String)> {
        let screen = self.android.screen(&self.device, &budget(20_000)).await.unwrap();
        screen.package.zip(screen.activity)
    }
}

#[tokio::test]
async fn a_shell_that_warns_is_known_by_its_boot_id_and_takes_inputs() {
    let old = Old::new();
    old.has("getprop", "case $1 in *model) echo 'Nexus 5';; *sdk) echo 23;; *release) echo 6.0.1;; esac");
    let facts = old.android.facts(&old.device, &budget(5_000)).await.unwrap();
    assert_eq!((facts.model.as_str(), facts.sdk, facts.os_version.as_str()), ("Nexus 5", Some(23), "6.0.1"));
    let ours = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok().map(|id| id.trim().to_owned());
    assert_eq!(old.android.known().connection(&old.device).boot_id, ours);
    for input in [Input::Tap { x: 1, y: 2 }, Input::Text("a\nb".to_owned().into()), Input::Back] {
        let prepared = old.android.prepare(&old.device, input, &budget(5_000)).await.unwrap();
        let output = old.android.processes.run(prepared.commands[0].clone(), &budget(5_000)).await.unwrap();
        old.android.judge(&old.device, &prepared, tokio::time::Instant::now(), Ok(&output)).unwrap();
    }
    let inputs = std::fs::read_to_string(old.bin.path().join("inputs")).unwrap();
    assert_eq!(inputs, "tap 1 2\ntext a\nkeyevent 66\ntext b\nkeyevent 4\n");
}

#[tokio::test]
async fn facts_of_a_device_whose_getprop_hangs_are_unknown_and_not_asked_for_again() {
    let old = Old::new();
    old.has("getprop", "exec sleep 30");
    assert_eq!(old.android.facts(&old.device, &budget(10_000)).await.unwrap().sdk, None);
    let asked = Instant::now();
    old.android.facts(&old.device, &budget(10_000)).await.unwrap();
    assert!(asked.elapsed() < Duration::from_millis(1_500), "{:?}", asked.elapsed());
}

#[tokio::test]
async fn a_caller_in_a_hurry_does_not_make_facts_unknown() {
    let old = Old::new();
    old.has("getprop", "sleep 0.2; echo 23");
    assert!(old.android.facts(&old.device, &budget(300)).await.is_err());
    assert_eq!(old.android.facts(&old.device, &budget(20_000)).await.unwrap().sdk, Some(23));
}

/// What the parser finds in a whole dump it finds in the lines that are sent.
#[tokio::test]
async fn the_lines_that_are_sent_name_the_app_in_front_in_every_version() {
    let captures = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/captures"));
    let old = Old::new();
    let mut named = 0;
    for folder in ["dumpsys", "commands/dumpsys_window", "commands/dumpsys_activity"] {
        for file in std::fs::read_dir(captures.join(folder)).unwrap() {
            let path = file.unwrap().path();
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let asked = if folder.ends_with("activity") { "activity activities" } else { "window" };
            old.has("dumpsys", &format!("[ \"$*\" = '{asked}' ] && cat '{}'", path.display()));
            let found = old.front().await;
            assert_eq!(found, parse_resumed_activity(&text), "{}", path.display());
            named += usize::from(found.is_some());
        }
    }
    assert!(named >= 20, "{named}");
}

#[tokio::test]
async fn a_service_that_hangs_is_given_two_seconds_also_without_timeout() {
    let old = Old::new();
    old.has("timeout", "exit 127");
    let window = "mCurrentFocus=Window{41b u0 com.app/com.app.Main}";
    old.has("dumpsys", &format!("case $* in activity*) exec sleep 30;; window) echo '{window}';; esac"));
    let asked = Instant::now();
    assert_eq!(old.front().await, Some(("com.app".to_owned(), "com.app.Main".to_owned())));
    assert!((1_900..5_000).contains(&asked.elapsed().as_millis()), "{:?}", asked.elapsed());
}
