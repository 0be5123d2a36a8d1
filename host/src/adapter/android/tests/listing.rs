use handset_model::Code;
use simphone::{FaultKind, PhoneOptions};

use super::rig::{Rig, android, budget, instant};
use crate::adapter::android::Android;
use crate::device::Adapter;
use crate::process::Program;

/// A stand-in that prints what an adb would.
#[cfg(unix)]
fn saying(script: &str) -> Android {
    android(Program { leading: vec!["-c".into(), script.into()], ..Program::new("sh") })
}

// §3c 26: one ghost never empties the list.
#[tokio::test]
async fn every_device_is_listed_in_its_state() {
    let Some(mut rig) = Rig::real(instant("counter")).await else { return };
    rig.add(PhoneOptions { seed: 2, ..instant("login") }).await;
    rig.phones[1].fault(simphone::Fault::now(FaultKind::Unauthorized));
    let ghost = rig.phones[1].adb_addr().to_string();
    rig.adb(&["disconnect", &ghost]).await;
    let mut listed = rig.list().await;
    for _ in 0..60 {
        if listed.len() == 2 {
            break;
        }
        // adb drops a network device that does not authorise it in time.
        rig.adb(&["connect", &ghost]).await;
        listed = rig.list().await;
    }
    let good = listed.iter().find(|device| device.id == rig.phone().adb_addr().to_string()).unwrap();
    assert!(good.usable && good.remedy.is_none() && good.connection > 0 && good.model.is_some(), "{good:?}");
    let ghost = listed.iter().find(|device| device.id == ghost).unwrap();
    assert!(!ghost.usable && ghost.remedy.is_some(), "{ghost:?}");
    let health = rig.android.health(&budget(10_000)).await;
    assert!(health.available && health.version.is_some() && health.issues.is_empty(), "{health:?}");
}

#[tokio::test]
async fn daemon_chatter_does_not_hide_the_list() {
    let Some(rig) = Rig::without_phones().await else { return };
    rig.adb(&["kill-server"]).await;
    assert_eq!(rig.list().await, []);
}

#[tokio::test]
async fn a_missing_adb_is_a_missing_tool() {
    let android = android(Program::new("/nowhere/adb"));
    assert_eq!(android.list(&budget(1_000)).await.unwrap_err().code, Code::ToolNotFound);
    let health = android.health(&budget(1_000)).await;
    assert!(!health.available && health.issues[0].contains("TOOL_NOT_FOUND"), "{health:?}");
    assert_eq!(android.default_device().as_deref(), Some("x"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_listing_out_of_budget_is_a_timeout() {
    let failure = saying("sleep 60").list(&budget(200)).await.unwrap_err();
    assert_eq!(failure.code, Code::Timeout);
    assert!(failure.remedy.unwrap().contains("adb server"), "a listing has no timeout to raise");
}

#[cfg(unix)]
#[tokio::test]
async fn a_program_that_is_no_adb_is_told_by_what_it_did() {
    let failure = saying("exit 1").list(&budget(5_000)).await.unwrap_err();
    assert!(failure.message.contains("sh exited with status 1 and printed nothing"), "{failure}");
    let failure = saying("echo what >&2; exit 7").list(&budget(5_000)).await.unwrap_err();
    assert!(failure.message.contains("status 7 and said: what"), "{failure}");
}

#[cfg(unix)]
#[tokio::test]
async fn another_version_of_the_server_is_a_conflict_where_it_took_the_devices() {
    let clash = "echo \"adb server version (41) doesn't match this client (39); killing...\" >&2; echo '* daemon started successfully' >&2; echo 'List of devices attached'";
    assert_eq!(saying(clash).list(&budget(5_000)).await.unwrap_err().code, Code::AdbVersionConflict);
    let with_device = format!("{clash}; echo 'a device transport_id:3'");
    assert_eq!(saying(&with_device).list(&budget(5_000)).await.unwrap().len(), 1);
    let dead = "echo \"adb server version (41) doesn't match this client (39); killing...\" >&2; echo 'ADB server did not ACK' >&2; exit 1";
    assert_eq!(saying(dead).list(&budget(5_000)).await.unwrap_err().code, Code::AdbVersionConflict);
}

// §3c 27: serials with a space, wireless serials, states of two words.
#[cfg(unix)]
#[tokio::test]
async fn serials_and_states_with_spaces_are_whole() {
    let list = "echo 'List of devices attached'; echo 'adb-R5CT-x (2)._adb-tls-connect._tcp device product:a model:Pixel_8 device:b transport_id:9'; echo '192.168.1.5:5555 offline transport_id:4'; echo 'R5 no permissions (user in plugdev group; are your udev rules wrong?); see [http://developer.android.com/tools/device.html] usb:1-1 transport_id:2'";
    let listed = saying(list).list(&budget(5_000)).await.unwrap();
    assert_eq!(
        listed.iter().map(|device| (device.id.as_str(), device.usable, device.connection)).collect::<Vec<_>>(),
        [("adb-R5CT-x (2)._adb-tls-connect._tcp", true, 9), ("192.168.1.5:5555", false, 4), ("R5", false, 2),]
    );
}
