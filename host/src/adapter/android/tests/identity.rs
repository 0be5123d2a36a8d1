//! An adb that runs the device's line in this system's shell, which has a boot id as a device has.

use handset_model::Code;
use handset_model::snapshot::DeviceKey;
use tokio::time::Instant;

use super::rig::{android, budget};
use crate::adapter::android::Android;
use crate::device::{Adapter, Input, Pinned, Reached, Refused};
use crate::process::Program;

/// It lists device `a` in connection 1, and knows a command `input`.
fn local_shell(listing: &str) -> (Android, Pinned) {
    let script = format!(
        r#"case $* in *devices*) echo 'List of devices attached'; echo '{listing}'; exit;; esac
for line; do :; done
sh() {{ shift 2; shift; echo "handset:stroke:1:7"; echo "injected $*"; }}; eval "$line""#
    );
    let program = Program { leading: vec!["-c".into(), script.into(), "adb".into()], ..Program::new("sh") };
    let pinned = Pinned { key: DeviceKey { platform: "android", id: "a".to_owned() }, connection: 1, model: None };
    (android(program), pinned)
}

const HERE: &str = "a device transport_id:1";

fn has_boot_id() -> bool {
    std::path::Path::new("/proc/sys/kernel/random/boot_id").exists()
}

fn becomes_another_device(android: &Android, device: &Pinned) {
    android.known().connection(device).boot_id = Some("another".to_owned());
}

#[tokio::test]
async fn another_device_in_a_connection_is_not_asked_until_a_listing() {
    if !has_boot_id() {
        return;
    }
    let (android, device) = local_shell(HERE);
    android.screen(&device, &budget(5_000)).await.unwrap();
    assert!(android.known().connection(&device).boot_id.is_some());
    becomes_another_device(&android, &device);
    // Whoever asks is told, facts too, as often as it asks.
    for _ in 0..2 {
        let failure = android.screen(&device, &budget(5_000)).await.unwrap_err();
        assert_eq!((failure.code, failure.is_retryable()), (Code::DeviceOffline, true));
        assert_eq!(android.facts(&device, &budget(5_000)).await.unwrap_err().code, Code::DeviceOffline);
        let prepared = android.prepare(&device, Input::Back, &budget(5_000)).await;
        assert_eq!(prepared.unwrap_err().code, Code::DeviceOffline);
    }
    // A listing that shows the serial in this connection settles it.
    android.list(&budget(5_000)).await.unwrap();
    android.screen(&device, &budget(5_000)).await.unwrap();
}

#[tokio::test]
async fn a_serial_that_is_listed_elsewhere_stays_untrusted_where_it_was() {
    if !has_boot_id() {
        return;
    }
    let (android, device) = local_shell("a device transport_id:2");
    becomes_another_device(&android, &device);
    for _ in 0..2 {
        assert_eq!(android.screen(&device, &budget(5_000)).await.unwrap_err().code, Code::DeviceOffline);
        android.list(&budget(5_000)).await.unwrap();
    }
}

// A server restarted by anybody between the listing and the first question: the same number is another device.
#[tokio::test]
async fn who_answers_first_is_looked_up_before_it_is_believed() {
    if !has_boot_id() {
        return;
    }
    for (listing, believed) in [(HERE, true), ("a device transport_id:2", false), ("b device transport_id:1", false)] {
        let (android, device) = local_shell(listing);
        let prepared = android.prepare(&device, Input::Back, &budget(5_000)).await;
        assert_eq!(prepared.is_ok(), believed, "{prepared:?}");
        assert_eq!(android.known().connection(&device).boot_id.is_some(), believed);
    }
}

/// `None` when it was accepted.
async fn tap(android: &Android, device: &Pinned) -> (Option<Refused>, String) {
    let prepared = android.prepare(device, Input::Tap { x: 1, y: 2 }, &budget(5_000)).await.unwrap();
    let args = &prepared.commands[0].args;
    assert!(args.iter().any(|arg| arg.to_string_lossy().contains("boot_id")), "the first input is guarded, too");
    let output = android.processes.run(prepared.commands[0].clone(), &budget(5_000)).await.unwrap();
    let judged = android.judge(device, &prepared, Instant::now(), Ok(&output));
    (judged.err().map(|refused| *refused), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[tokio::test]
async fn another_device_in_a_connection_gets_no_input_and_that_is_known() {
    if !has_boot_id() {
        return;
    }
    let (android, device) = local_shell(HERE);
    let (refused, said) = tap(&android, &device).await;
    assert!(refused.is_none() && said.contains("injected input tap 1 2"), "{said} {refused:?}");
    becomes_another_device(&android, &device);
    let (refused, said) = tap(&android, &device).await;
    assert!(!said.contains("injected"), "{said}");
    let refused = refused.unwrap();
    assert_eq!((refused.failure.code, refused.reached, refused.leftover), (Code::DeviceOffline, Reached::No, None));
    assert!(refused.failure.is_retryable());
    // And nobody else goes there.
    assert!(android.screen(&device, &budget(5_000)).await.is_err());
}
