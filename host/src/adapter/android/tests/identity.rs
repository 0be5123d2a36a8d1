//! An adb that runs the device's line in this system's shell, which has a boot id as a device has.

use handset_model::Code;
use handset_model::snapshot::DeviceKey;

use super::rig::budget;
use crate::adapter::android::facts::connection;
use crate::adapter::android::{Android, AndroidConfig};
use crate::clock::Clock;
use crate::device::{Adapter, Input, Pinned};
use crate::process::{Command, Processes, Program};

fn local_shell() -> (Android, Pinned) {
    let script = r#"for line; do :; done; input() { echo "injected $*"; }; eval "$line""#;
    let adb = Program { leading: vec!["-c".into(), script.into(), "adb".into()], ..Program::new("sh") };
    let android = Android::new(AndroidConfig {
        adb,
        processes: Processes::default(),
        session: "s".to_owned(),
        clock: Clock::start(),
        env_serial: None,
    });
    (android, Pinned { key: DeviceKey { platform: "android", id: "a".to_owned() }, connection: 1, model: None })
}

fn has_boot_id() -> bool {
    std::path::Path::new("/proc/sys/kernel/random/boot_id").exists()
}

fn becomes_another_device(android: &Android, device: &Pinned) {
    connection(&mut android.known(), device).boot_id = Some("another".to_owned());
}

#[tokio::test]
async fn another_device_under_the_same_transport_id_is_not_asked() {
    if !has_boot_id() {
        return;
    }
    let (android, device) = local_shell();
    android.screen(&device, &budget(5_000)).await.unwrap();
    assert!(connection(&mut android.known(), &device).boot_id.is_some());
    becomes_another_device(&android, &device);
    let failure = android.screen(&device, &budget(5_000)).await.unwrap_err();
    assert_eq!((failure.code, failure.is_retryable()), (Code::DeviceOffline, true));
    // The next request lists anew and takes what it finds.
    android.screen(&device, &budget(5_000)).await.unwrap();
}

async fn tap(android: &Android, device: &Pinned) -> Command {
    let prepared = android.prepare(device, Input::Tap { x: 1, y: 2 }, &budget(5_000)).await.unwrap();
    prepared.commands[0].clone()
}

#[tokio::test]
async fn another_device_under_the_same_transport_id_gets_no_input() {
    if !has_boot_id() {
        return;
    }
    let (android, device) = local_shell();
    android.screen(&device, &budget(5_000)).await.unwrap();
    let ours = android.processes.run(tap(&android, &device).await, &budget(5_000)).await.unwrap();
    assert!(String::from_utf8_lossy(&ours.stdout).contains("injected tap 1 2"));
    android.judge(&device, &Input::Back, Ok(&ours)).unwrap();
    becomes_another_device(&android, &device);
    let other = android.processes.run(tap(&android, &device).await, &budget(5_000)).await.unwrap();
    assert!(!String::from_utf8_lossy(&other.stdout).contains("injected"));
    assert_eq!(android.judge(&device, &Input::Back, Ok(&other)).unwrap_err().code, Code::DeviceOffline);
}
