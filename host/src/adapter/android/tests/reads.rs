use std::time::{Duration, Instant};

use handset_model::Code;
use handset_model::ui::{Limitation, Size, Tree};
use simphone::{Fault, FaultKind};

use super::rig::{WANTS, budget, instant, on_each};
use crate::device::{Adapter, ReadFailure};

fn texts(tree: &Tree) -> Vec<&str> {
    tree.elements.iter().filter_map(|element| element.text.as_deref()).collect()
}

fn code(result: Result<crate::device::Read, ReadFailure>) -> (Code, usize, String) {
    let failed = result.map(|read| read.tree).unwrap_err();
    (failed.failure.code, failed.reads.len(), failed.failure.message)
}

#[tokio::test]
async fn a_read_brings_tree_size_activity_and_keyboard_in_one_round_trip_and_leaves_no_file() {
    on_each(instant("counter"), async |rig| {
        let pinned = rig.pin().await;
        rig.phone().journal().clear();
        let read = rig.android.read(&pinned, WANTS, &budget(20_000)).await.unwrap();
        assert!(texts(&read.tree).contains(&"Count: 0"), "{:?}", texts(&read.tree));
        assert_eq!((read.tree.resolution.width, read.tree.resolution.height, read.reads.len()), (1080, 2400, 1));
        assert_eq!(read.screen.package.as_deref(), Some("com.example.counter"));
        assert_eq!(read.tree.keyboard.map(|keyboard| keyboard.shown), Some(false));
        assert!(read.tree.limitations.is_empty(), "{:?}", read.tree.limitations);
        assert!(read.capture.captured_ms > read.capture.started_ms);
        assert_eq!((rig.phone().journal().counters().services, rig.dumps()), (1, 1));
        assert_eq!(rig.leaked(), Vec::<String>::new());
    })
    .await;
}

// §3a 2: an old screen must never come back.
#[tokio::test]
async fn a_stale_file_is_impossible() {
    on_each(instant("counter"), async |rig| {
        rig.read().await.unwrap();
        rig.phone().fault(Fault::forever("dump", FaultKind::StaleFile));
        let (code, attempts, message) = code(rig.read().await);
        assert_eq!((code, attempts), (Code::TreeInvalid, 3), "{message}");
    })
    .await;
}

// §3a 2: a null root is read again, and after that it is what the answer says.
#[tokio::test]
async fn a_null_root_is_read_again() {
    on_each(instant("counter"), async |rig| {
        rig.phone().fault(Fault::times("dump", 2, FaultKind::NullRoot));
        assert_eq!(rig.read().await.unwrap().reads.len(), 3);
        rig.phone().fault(Fault::forever("dump", FaultKind::NullRoot));
        assert_eq!(code(rig.read().await).0, Code::NullRoot);
    })
    .await;
}

// §3a 4 and 5: a walk that died is retried, and blamed on nobody.
#[tokio::test]
async fn a_killed_or_crashed_reader_is_read_again() {
    on_each(instant("counter"), async |rig| {
        rig.fault("dump", FaultKind::NpeMidWalk);
        rig.fault("dump", FaultKind::Killed);
        assert_eq!(rig.read().await.unwrap().reads.len(), 3);
        rig.phone().fault(Fault::forever("dump", FaultKind::Killed));
        let (killed, attempts, _) = code(rig.read().await);
        assert_eq!((killed, attempts), (Code::ReaderKilled, 3));
        rig.phone().clear_faults();
        rig.phone().fault(Fault::forever("dump", FaultKind::NpeMidWalk));
        assert_eq!(code(rig.read().await).0, Code::ReaderKilled);
    })
    .await;
}

// §3a 3: exit 0 with an error text is no empty screen.
#[tokio::test]
async fn an_error_text_with_exit_0_is_a_failure() {
    on_each(instant("counter"), async |rig| {
        let text = "ERROR: something nobody listed".to_owned();
        rig.phone().fault(Fault::forever("dump", FaultKind::ErrorText { text, stderr: true, status: 0 }));
        let (code, _, message) = code(rig.read().await);
        assert_eq!(code, Code::TreeInvalid);
        assert!(message.contains("something nobody listed"), "{message}");
    })
    .await;
}

// §3a 1: the last try is compressed and says so; a screen that never rests is typed.
#[tokio::test]
async fn a_screen_that_never_rests_is_tried_compressed_once() {
    on_each(instant("counter"), async |rig| {
        rig.fault("dump", FaultKind::NeverIdle);
        let read = rig.read().await.unwrap();
        assert_eq!((read.reads.len(), read.tree.limitations.as_slice()), (2, &[Limitation::Truncated][..]));
        let dumps = rig
            .phone()
            .journal()
            .commands()
            .into_iter()
            .filter(|command| command.argv.contains(&"--compressed".to_owned()))
            .count();
        assert_eq!(dumps, 1);
        rig.phone().fault(Fault::forever("dump", FaultKind::NeverIdle));
        let (code, attempts, _) = code(rig.read().await);
        assert_eq!((code, attempts), (Code::NotIdle, 2));
    })
    .await;
}

// §3a 8: one slot; it is waited for, nothing is killed.
#[tokio::test]
async fn a_busy_slot_is_waited_for_and_bounded() {
    on_each(instant("counter"), async |rig| {
        rig.fault("now", FaultKind::SlotBusy { ms: 700 });
        assert!(rig.read().await.unwrap().reads.len() >= 3);
        rig.fault("now", FaultKind::SlotBusy { ms: 60_000 });
        let asked = Instant::now();
        let (code, ..) = code(rig.read().await);
        assert_eq!(code, Code::SlotBusy);
        assert!(asked.elapsed() < Duration::from_secs(9), "{:?}", asked.elapsed());
    })
    .await;
}

// §3e 46: cut and unrelated output.
#[tokio::test]
async fn cut_output_and_noise_are_typed_after_two_more_reads() {
    on_each(instant("counter"), async |rig| {
        rig.fault("dump", FaultKind::CutOutput { bytes: 300 });
        rig.fault("dump", FaultKind::Garbage { bytes: 512 });
        assert_eq!(rig.read().await.unwrap().reads.len(), 3);
        rig.phone().fault(Fault::forever("dump", FaultKind::CutOutput { bytes: 300 }));
        let (cut, attempts, _) = code(rig.read().await);
        assert_eq!((cut, attempts), (Code::TreeTruncated, 3));
        rig.phone().clear_faults();
        rig.phone().fault(Fault::forever("dump", FaultKind::Garbage { bytes: 512 }));
        assert_eq!(code(rig.read().await).0, Code::TreeInvalid);
        rig.phone().clear_faults();
        rig.phone().fault(Fault::forever("dump", FaultKind::DiskFull));
        assert_eq!(code(rig.read().await).0, Code::TreeInvalid);
    })
    .await;
}

#[tokio::test]
async fn a_status_line_around_the_tree_and_utf_16_are_read() {
    on_each(instant("counter"), async |rig| {
        for kind in [FaultKind::StatusBefore, FaultKind::StatusAfter, FaultKind::Utf16] {
            rig.fault("dump", kind.clone());
            let read = rig.read().await.unwrap();
            assert!(read.reads.len() == 1 && texts(&read.tree).contains(&"Count: 0"), "{kind:?}");
        }
    })
    .await;
}

// §3a 10: dark and locked screens are told, not shown as systemui's empty bars.
#[tokio::test]
async fn a_dark_or_locked_screen_is_told() {
    on_each(instant("counter"), async |rig| {
        rig.phone().set_awake(false);
        assert_eq!(code(rig.read().await).0, Code::ScreenOff);
        rig.phone().set_awake(true);
        rig.phone().set_locked(true);
        assert_eq!(code(rig.read().await).0, Code::DeviceLocked);
        rig.phone().set_locked(false);
        assert!(rig.read().await.is_ok());
    })
    .await;
}

// §3c 29: an override, and a turned display.
#[tokio::test]
async fn size_follows_override_and_rotation() {
    let mut options = instant("counter");
    options.scene.device.override_size = Some("720x1600".to_owned());
    options.scene.device.rotation = 1;
    on_each(options, async |rig| {
        let tree = rig.read().await.unwrap().tree;
        assert_eq!((tree.resolution, tree.rotation), (Size { width: 1600, height: 720 }, 1));
        assert_eq!(rig.android.display(&rig.pin().await, &budget(5_000)).await.unwrap(), tree.resolution);
    })
    .await;
}

// §3a 10: a shade over everything is a screen like any other.
#[tokio::test]
async fn a_shade_that_covers_the_display_is_read() {
    on_each(instant("capture:senior-shield__window_dump"), async |rig| {
        let read = rig.read().await.unwrap();
        assert_eq!((read.tree.package.as_deref(), read.reads.len()), (Some("com.android.systemui"), 1));
    })
    .await;
}

#[tokio::test]
async fn slow_trickles_and_huge_trees_are_read_whole() {
    on_each(instant("counter"), async |rig| {
        rig.fault("now", FaultKind::HugeTree { nodes: 3_000 });
        let read = rig.read().await.unwrap();
        assert!(read.tree.node_count > 3_000);
        rig.fault("now", FaultKind::HugeTree { nodes: 0 });
        rig.fault("cat", FaultKind::SlowTrickle { bytes: 300, ms: 20 });
        assert_eq!(rig.read().await.unwrap().reads.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn facts_are_asked_once_per_connection() {
    on_each(instant("counter"), async |rig| {
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
    })
    .await;
}

// A tree is not thrown away for what hangs after it; what is known of the app in front stays.
#[tokio::test]
async fn what_hangs_after_a_tree_costs_no_tree() {
    on_each(instant("counter"), async |rig| {
        rig.phone().fault(Fault::forever("dumpsys", FaultKind::Hang));
        let read = rig.read().await.unwrap();
        assert!(texts(&read.tree).contains(&"Count: 0") && read.reads.len() == 1);
        assert_eq!((read.screen.package, read.screen.activity, read.tree.keyboard), (None, None, None));
        rig.phone().clear_faults();
        let known = rig.read().await.unwrap();
        assert!(known.screen.activity.is_some());
        for (hanging, ms) in [("dumpsys", 1_500), ("wm", 20_000)] {
            rig.phone().fault(Fault::forever(hanging, FaultKind::Hang));
            let asked = Instant::now();
            let read = rig.android.read(&rig.pin().await, WANTS, &budget(ms)).await.unwrap();
            assert!(asked.elapsed() < Duration::from_secs(9), "{:?}", asked.elapsed());
            assert_eq!((read.screen, read.tree.resolution), (known.screen.clone(), known.tree.resolution), "{hanging}");
            rig.phone().clear_faults();
        }
        assert_eq!(rig.leaked(), Vec::<String>::new());
    })
    .await;
}

// Of another app than was in front before, nothing is made up.
#[tokio::test]
async fn an_app_in_front_that_was_not_told_is_that_of_before_only_for_its_own_tree() {
    on_each(instant("counter"), async |rig| {
        rig.read().await.unwrap();
        rig.shell("input keyevent 3").await;
        rig.phone().fault(Fault::forever("dumpsys", FaultKind::Hang));
        let read = rig.android.read(&rig.pin().await, WANTS, &budget(1_500)).await.unwrap();
        assert_ne!(read.tree.package.as_deref(), Some("com.example.counter"));
        assert_eq!((read.screen.package, read.screen.activity), (None, None));
    })
    .await;
}
