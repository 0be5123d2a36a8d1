use std::time::{Duration, Instant};

use handset_model::Code;
use handset_model::snapshot::DeviceKey;
use handset_model::ui::{Limitation, Tree};
use simphone::{Fault, FaultKind, PhoneOptions, Profile, Scene};
use tokio_util::sync::CancellationToken;

use super::rig::{Rig, WANTS, budget};
use crate::budget::Budget;
use crate::device::{Adapter, Input, Pinned, ReadFailure};

fn texts(tree: &Tree) -> Vec<&str> {
    tree.elements.iter().filter_map(|element| element.text.as_deref()).collect()
}

fn code(result: Result<crate::device::Read, ReadFailure>) -> (Code, u32, String) {
    let failed = result.map(|read| read.tree).unwrap_err();
    (failed.failure.code, failed.attempts, failed.failure.message)
}

macro_rules! rig {
    ($rig:expr) => {
        match $rig.await {
            Some(rig) => rig,
            None => return,
        }
    };
}

#[tokio::test]
async fn a_read_brings_tree_size_activity_and_keyboard_in_one_round_trip_and_leaves_no_file() {
    let rig = rig!(Rig::with("counter"));
    let pinned = rig.pin().await;
    rig.phone().journal().clear();
    let read = rig.android.read(&pinned, WANTS, &budget(20_000)).await.unwrap();
    assert!(texts(&read.tree).contains(&"Count: 0"), "{:?}", texts(&read.tree));
    assert_eq!((read.tree.resolution.width, read.tree.resolution.height, read.attempts), (1080, 2400, 1));
    assert_eq!(read.screen.package.as_deref(), Some("com.example.counter"));
    assert_eq!(read.tree.keyboard.map(|keyboard| keyboard.shown), Some(false));
    assert!(read.tree.limitations.is_empty(), "{:?}", read.tree.limitations);
    assert!(read.capture.captured_ms > read.capture.started_ms);
    assert_eq!((rig.phone().journal().counters().services, rig.dumps()), (1, 1));
    assert_eq!(rig.leaked(), Vec::<String>::new());
}

// §3a 2: an old screen must never come back.
#[tokio::test]
async fn a_stale_file_is_impossible() {
    let rig = rig!(Rig::with("counter"));
    rig.read().await.unwrap();
    rig.phone().fault(Fault::forever("dump", FaultKind::StaleFile));
    let (code, attempts, message) = code(rig.read().await);
    assert_eq!((code, attempts), (Code::TreeInvalid, 3), "{message}");
}

// §3a 2: a null root is read again, and after that it is what the answer says.
#[tokio::test]
async fn a_null_root_is_read_again() {
    let rig = rig!(Rig::with("counter"));
    rig.phone().fault(Fault::times("dump", 2, FaultKind::NullRoot));
    assert_eq!(rig.read().await.unwrap().attempts, 3);
    rig.phone().fault(Fault::forever("dump", FaultKind::NullRoot));
    assert_eq!(code(rig.read().await).0, Code::NullRoot);
}

// §3a 4 and 5: a walk that died is retried, and blamed on nobody.
#[tokio::test]
async fn a_killed_or_crashed_reader_is_read_again() {
    let rig = rig!(Rig::with("counter"));
    rig.fault("dump", FaultKind::NpeMidWalk);
    rig.fault("dump", FaultKind::Killed);
    assert_eq!(rig.read().await.unwrap().attempts, 3);
    rig.phone().fault(Fault::forever("dump", FaultKind::Killed));
    let (killed, attempts, _) = code(rig.read().await);
    assert_eq!((killed, attempts), (Code::ReaderKilled, 3));
    rig.phone().clear_faults();
    rig.phone().fault(Fault::forever("dump", FaultKind::NpeMidWalk));
    assert_eq!(code(rig.read().await).0, Code::ReaderKilled);
}

// §3a 3: exit 0 with an error text is no empty screen.
#[tokio::test]
async fn an_error_text_with_exit_0_is_a_failure() {
    let rig = rig!(Rig::with("counter"));
    let text = "ERROR: something nobody listed".to_owned();
    rig.phone().fault(Fault::forever("dump", FaultKind::ErrorText { text, stderr: true, status: 0 }));
    let (code, _, message) = code(rig.read().await);
    assert_eq!(code, Code::TreeInvalid);
    assert!(message.contains("something nobody listed"), "{message}");
}

// §3a 1: the last try is compressed and says so; a screen that never rests is typed.
#[tokio::test]
async fn a_screen_that_never_rests_is_tried_compressed_once() {
    let rig = rig!(Rig::with("counter"));
    rig.fault("dump", FaultKind::NeverIdle);
    let read = rig.read().await.unwrap();
    assert_eq!((read.attempts, read.tree.limitations.as_slice()), (2, &[Limitation::Truncated][..]));
    let dumps = rig.phone().journal().commands().into_iter().filter(|command| command.argv.contains(&"--compressed".to_owned())).count();
    assert_eq!(dumps, 1);
    rig.phone().fault(Fault::forever("dump", FaultKind::NeverIdle));
    let (code, attempts, _) = code(rig.read().await);
    assert_eq!((code, attempts), (Code::NotIdle, 2));
}

// §3a 8: one slot; it is waited for, nothing is killed.
#[tokio::test]
async fn a_busy_slot_is_waited_for_and_bounded() {
    let rig = rig!(Rig::with("counter"));
    rig.fault("now", FaultKind::SlotBusy { ms: 700 });
    assert!(rig.read().await.unwrap().attempts >= 3);
    rig.fault("now", FaultKind::SlotBusy { ms: 60_000 });
    let asked = Instant::now();
    let (code, ..) = code(rig.read().await);
    assert_eq!(code, Code::SlotBusy);
    assert!(asked.elapsed() < Duration::from_secs(9), "{:?}", asked.elapsed());
}

// §3e 46: cut and unrelated output.
#[tokio::test]
async fn cut_output_and_noise_are_typed_after_two_more_reads() {
    let rig = rig!(Rig::with("counter"));
    rig.fault("dump", FaultKind::CutOutput { bytes: 300 });
    rig.fault("dump", FaultKind::Garbage { bytes: 512 });
    assert_eq!(rig.read().await.unwrap().attempts, 3);
    rig.phone().fault(Fault::forever("dump", FaultKind::CutOutput { bytes: 300 }));
    let (cut, attempts, _) = code(rig.read().await);
    assert_eq!((cut, attempts), (Code::TreeTruncated, 3));
    rig.phone().clear_faults();
    rig.phone().fault(Fault::forever("dump", FaultKind::Garbage { bytes: 512 }));
    assert_eq!(code(rig.read().await).0, Code::TreeInvalid);
    rig.phone().clear_faults();
    rig.phone().fault(Fault::forever("dump", FaultKind::DiskFull));
    assert_eq!(code(rig.read().await).0, Code::TreeInvalid);
}

#[tokio::test]
async fn a_status_line_around_the_tree_and_utf_16_are_read() {
    let rig = rig!(Rig::with("counter"));
    for kind in [FaultKind::StatusBefore, FaultKind::StatusAfter, FaultKind::Utf16] {
        rig.fault("dump", kind.clone());
        let read = rig.read().await.unwrap();
        assert!(read.attempts == 1 && texts(&read.tree).contains(&"Count: 0"), "{kind:?}");
    }
}

// §3e 39: a hung dump. The local child is gone, and what runs on over there is told.
#[tokio::test]
async fn a_hung_dump_is_ended_at_the_deadline_and_left_to_the_lane() {
    let rig = rig!(Rig::with("counter"));
    let pinned = rig.pin().await;
    rig.fault("dump", FaultKind::Hang);
    let asked = tokio::time::Instant::now();
    let failed = rig.android.read(&pinned, WANTS, &budget(800)).await.unwrap_err();
    assert!(asked.elapsed() < Duration::from_millis(1_500), "{:?}", asked.elapsed());
    assert_eq!((failed.failure.code, failed.attempts), (Code::Timeout, 1));
    let leftover = failed.leftover.unwrap();
    assert!(leftover.until <= asked + Duration::from_millis(12_500) && leftover.until > asked + Duration::from_secs(11));
    let dump = rig.phone().journal().dumps().pop();
    let pid = leftover.pid.unwrap();
    if let Some(dump) = dump {
        assert_eq!(dump.pid, pid);
    }
    assert!(!rig.android.is_over(&pinned, &leftover, &budget(5_000)).await);
    rig.adb(&["-s", &pinned.key.id, "shell", &format!("kill -9 {pid}")]).await;
    assert!(rig.android.is_over(&pinned, &leftover, &budget(5_000)).await);
    rig.read().await.unwrap();
    assert_eq!(rig.leaked(), Vec::<String>::new());
}

#[tokio::test]
async fn a_slow_dump_that_outlives_its_read_holds_the_lane_until_it_is_over_and_is_swept() {
    let mut options = PhoneOptions::new(Scene::by_name("counter").unwrap());
    options.profile = Profile { dump_ms: (1_500, 1_500), ..Profile::INSTANT };
    let rig = rig!(Rig::with_options(options));
    let pinned = rig.pin().await;
    let lane = crate::device::Lanes::default().lane(&pinned.key);
    let turn = lane.enter(&budget(1_000)).await.unwrap();
    let begun = Instant::now();
    let failed = rig.android.read(&pinned, WANTS, &budget(500)).await.unwrap_err();
    turn.leave_behind(rig.android.clone(), pinned.clone(), failed.leftover.unwrap());
    let turn = lane.enter(&budget(20_000)).await.unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(1_400) && begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    assert_eq!(rig.leaked().len(), 1, "what the cut off read left");
    let read = rig.android.read(&pinned, WANTS, &budget(20_000)).await.unwrap();
    assert_eq!(read.attempts, 1, "the slot was free");
    drop(turn);
    assert_eq!(rig.leaked(), Vec::<String>::new());
}

#[tokio::test]
async fn a_cancelled_read_ends_at_once_with_its_leftover() {
    let rig = rig!(Rig::with("counter"));
    let pinned = rig.pin().await;
    rig.fault("dump", FaultKind::Hang);
    let token = CancellationToken::new();
    let budget = Budget::new(Duration::from_secs(60), token.clone());
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(600)).await;
        token.cancel();
    };
    let (read, ()) = tokio::join!(rig.android.read(&pinned, WANTS, &budget), cancel);
    let failed = read.unwrap_err();
    assert_eq!(failed.failure.code, Code::Cancelled);
    assert!(failed.leftover.unwrap().pid.is_some());
}

#[tokio::test]
async fn a_budget_that_ended_reads_nothing_and_leaves_nothing() {
    let rig = rig!(Rig::with("counter"));
    let pinned = rig.pin().await;
    let failed = rig.android.read(&pinned, WANTS, &budget(0)).await.unwrap_err();
    assert_eq!((failed.failure.code, failed.attempts, failed.leftover), (Code::Timeout, 0, None));
}

#[tokio::test]
async fn files_of_the_dead_are_swept_and_those_in_use_are_not() {
    let rig = rig!(Rig::with("counter"));
    let pinned = rig.pin().await;
    rig.adb(&["-s", &pinned.key.id, "shell", "touch /data/local/tmp/handset-other-1-999999.xml /data/local/tmp/mine.xml; touch /data/local/tmp/handset-other-2-$$.xml"]).await;
    let mut holding = rig.android.adb.command(["-s", &pinned.key.id, "shell", "touch /data/local/tmp/handset-other-3-$$.xml; sleep 30"]);
    holding.stdout_cap = 10;
    let held = budget(60_000);
    let hold = rig.android.processes.run(holding, &held);
    let read = async {
        while rig.leaked().len() < 3 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        rig.read().await.unwrap();
        let left = rig.leaked();
        assert!(left.len() == 1 && left[0].starts_with("handset-other-3-"), "{left:?}");
        assert!(rig.phone().files("/data/local/tmp").contains(&"mine.xml".to_owned()));
    };
    tokio::select! { _ = hold => panic!("ended early"), () = read => {} }
}

// §3a 10: dark and locked screens are told, not shown as systemui's empty bars.
#[tokio::test]
async fn a_dark_or_locked_screen_is_told() {
    let rig = rig!(Rig::with("counter"));
    rig.phone().set_awake(false);
    assert_eq!(code(rig.read().await).0, Code::ScreenOff);
    rig.phone().set_awake(true);
    rig.phone().set_locked(true);
    assert_eq!(code(rig.read().await).0, Code::DeviceLocked);
    rig.phone().set_locked(false);
    assert!(rig.read().await.is_ok());
}

// §3c: lost mid-command.
#[tokio::test]
async fn a_device_that_goes_away_is_offline() {
    let rig = rig!(Rig::with("counter"));
    let pinned = rig.pin().await;
    rig.adb(&["disconnect", &pinned.key.id]).await;
    let asked = Instant::now();
    let failed = rig.android.read(&pinned, WANTS, &budget(20_000)).await.unwrap_err();
    assert_eq!((failed.failure.code, failed.attempts, failed.leftover), (Code::DeviceOffline, 1, None), "{}", failed.failure);
    assert!(asked.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn a_device_that_goes_away_in_the_middle_of_a_read_is_offline() {
    let rig = rig!(Rig::with("counter"));
    let pinned = rig.pin().await;
    rig.phone().fault(Fault::forever("dump", FaultKind::Offline { ms: None }));
    let failed = rig.android.read(&pinned, WANTS, &budget(20_000)).await.unwrap_err();
    assert_eq!(failed.failure.code, Code::DeviceOffline, "{}", failed.failure);
    assert!(failed.attempts <= 2);
}

#[tokio::test]
async fn a_replugged_device_is_noticed_by_its_connection() {
    let rig = rig!(Rig::with("counter"));
    let pinned = rig.pin().await;
    rig.adb(&["disconnect", &pinned.key.id]).await;
    rig.adb(&["connect", &pinned.key.id]).await;
    let again = rig.pin().await;
    assert_ne!(pinned.connection, again.connection);
    assert_eq!(rig.android.read(&pinned, WANTS, &budget(20_000)).await.unwrap_err().failure.code, Code::DeviceOffline);
    assert!(rig.android.read(&again, WANTS, &budget(20_000)).await.is_ok());
}

#[tokio::test]
async fn a_lost_server_is_tried_once_more_and_then_the_device_is_offline() {
    let rig = rig!(Rig::with("counter"));
    let pinned = rig.pin().await;
    rig.adb(&["kill-server"]).await;
    // A device on the network is not attached to a new server by itself.
    let failed = rig.android.read(&pinned, WANTS, &budget(20_000)).await.unwrap_err();
    assert_eq!(failed.failure.code, Code::DeviceOffline, "{}", failed.failure);
}

#[tokio::test]
async fn another_device_under_the_old_number_of_a_new_server_is_neither_read_nor_driven() {
    let mut rig = rig!(Rig::with("counter"));
    let boot = |rig: &Rig, serial: &str, id: &str| {
        let line = format!("mkdir -p /proc/sys/kernel/random; echo {id} > /proc/sys/kernel/random/boot_id");
        rig.android.adb.command(["-s", serial, "shell", &line])
    };
    let pinned = rig.pin().await;
    rig.android.processes.run(boot(&rig, &pinned.key.id, "one"), &budget(5_000)).await.unwrap();
    rig.read().await.unwrap();
    rig.adb(&["kill-server"]).await;
    rig.add(PhoneOptions::new(Scene::by_name("login").unwrap())).await;
    let other = rig.phones[1].adb_addr().to_string();
    rig.android.processes.run(boot(&rig, &other, "two"), &budget(5_000)).await.unwrap();
    let listed = rig.list().await.into_iter().find(|listed| listed.id == other).unwrap();
    assert_eq!(listed.connection, pinned.connection, "a new server counts anew");

    let prepared = rig.android.prepare(&pinned, Input::Tap { x: 500, y: 500 }, &budget(5_000)).await.unwrap();
    let output = rig.android.processes.run(prepared.commands[0].clone(), &budget(5_000)).await;
    assert_eq!(rig.android.judge(&pinned, &prepared.input, output.as_ref()).unwrap_err().code, Code::DeviceOffline);
    assert_eq!(rig.phones[1].journal().inputs(), []);

    let failed = rig.android.read(&pinned, WANTS, &budget(20_000)).await.unwrap_err();
    assert_eq!((failed.failure.code, failed.attempts), (Code::DeviceOffline, 1));
    // The device that has the number now is read as itself.
    let now = Pinned { key: DeviceKey { platform: "android", id: other }, ..pinned.clone() };
    rig.android.read(&now, WANTS, &budget(20_000)).await.unwrap();
}

// §3c 29: an override, and a turned display.
#[tokio::test]
async fn size_follows_override_and_rotation() {
    let mut options = PhoneOptions::new(Scene::by_name("counter").unwrap());
    options.scene.device.override_size = Some("720x1600".to_owned());
    let rig = rig!(Rig::with_options(options));
    let size = rig.read().await.unwrap().tree.resolution;
    assert_eq!((size.width, size.height), (720, 1600));
    assert_eq!(rig.android.display(&rig.pin().await, &budget(5_000)).await.unwrap(), size);
}

#[tokio::test]
async fn slow_trickles_and_huge_trees_are_read_whole() {
    let rig = rig!(Rig::with("counter"));
    rig.fault("now", FaultKind::HugeTree { nodes: 3_000 });
    let read = rig.read().await.unwrap();
    assert!(read.tree.node_count > 3_000);
    rig.fault("now", FaultKind::HugeTree { nodes: 0 });
    rig.fault("cat", FaultKind::SlowTrickle { bytes: 300, ms: 20 });
    assert_eq!(rig.read().await.unwrap().attempts, 1);
}

#[tokio::test]
async fn facts_are_asked_once_per_connection() {
    let rig = rig!(Rig::with("counter"));
    let pinned = rig.pin().await;
    let facts = rig.android.facts(&pinned, &budget(5_000)).await.unwrap();
    assert!(facts.sdk.is_some() && !facts.os_version.is_empty() && !facts.model.is_empty(), "{facts:?}");
    let asked = rig.phone().journal().counters().services;
    assert_eq!(rig.android.facts(&pinned, &budget(5_000)).await.unwrap(), facts);
    assert_eq!(rig.phone().journal().counters().services, asked);
    let screen = rig.android.screen(&pinned, &budget(5_000)).await.unwrap();
    assert_eq!(screen.package.as_deref(), Some("com.example.counter"));
    assert!(rig.android.installed(&pinned, "com.example.counter", &budget(5_000)).await.unwrap());
    assert!(!rig.android.installed(&pinned, "com.example.absent", &budget(5_000)).await.unwrap());
}
