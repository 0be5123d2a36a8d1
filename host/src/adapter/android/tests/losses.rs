//! Reads that were cut off: by their deadline, their client, the cable, the server.

use std::time::{Duration, Instant};

use handset_model::Code;
use simphone::{Fault, FaultKind, Profile};
use tokio_util::sync::CancellationToken;

use super::rig::{Rig, WANTS, budget, instant, on_each, paced};
use crate::budget::Budget;
use crate::device::{Adapter, Lanes, Leftover, Note};

// §3e 39: a hung dump. The local child is gone, and what runs on over there is told.
#[tokio::test]
async fn a_hung_dump_is_ended_at_the_deadline_and_left_to_the_lane() {
    on_each(instant("counter"), async |rig| {
        let pinned = rig.pin().await;
        rig.fault("dump", FaultKind::Hang);
        let asked = tokio::time::Instant::now();
        let failed = rig.android.read(&pinned, WANTS, &budget(1_500)).await.unwrap_err();
        assert!(asked.elapsed() < Duration::from_secs(6), "{:?}", asked.elapsed());
        assert_eq!((failed.failure.code, failed.reads.len()), (Code::Timeout, 1));
        let leftover = failed.leftover.unwrap();
        assert!(
            leftover.until <= asked + Duration::from_millis(12_500) && leftover.until > asked + Duration::from_secs(11)
        );
        let dump = rig.phone().journal().dumps().pop();
        let pid = leftover.pid.unwrap();
        if let Some(dump) = dump {
            assert_eq!(dump.pid, pid);
        }
        assert!(!rig.android.is_over(&pinned, &leftover, &budget(5_000)).await);
        rig.shell(&format!("kill -9 {pid}")).await;
        assert!(rig.android.is_over(&pinned, &leftover, &budget(5_000)).await);
        rig.read().await.unwrap();
        assert_eq!(rig.leaked(), Vec::<String>::new());
    })
    .await;
}

#[tokio::test]
async fn a_slow_dump_that_outlives_its_read_holds_the_lane_until_it_is_over_and_is_swept() {
    let slow = Profile { dump_ms: (2_500, 2_500), ..Profile::INSTANT };
    on_each(paced("counter", slow), async |rig| {
        let pinned = rig.pin().await;
        let lane = Lanes::default().lane(&pinned.key);
        let turn = lane.enter(&budget(1_000)).await.unwrap();
        let begun = Instant::now();
        let failed = rig.android.read(&pinned, WANTS, &budget(1_000)).await.unwrap_err();
        turn.leave_behind(rig.android.clone(), pinned.clone(), failed.leftover.unwrap());
        let turn = lane.enter(&budget(20_000)).await.unwrap();
        assert!(
            begun.elapsed() >= Duration::from_millis(2_400) && begun.elapsed() < Duration::from_secs(6),
            "{:?}",
            begun.elapsed()
        );
        assert_eq!(rig.leaked().len(), 2, "what the cut off read left: {:?}", rig.leaked());
        let read = rig.android.read(&pinned, WANTS, &budget(20_000)).await.unwrap();
        assert_eq!(read.reads.len(), 1, "the slot was free");
        drop(turn);
        assert_eq!(rig.leaked(), Vec::<String>::new());
    })
    .await;
}

// A read may be cut before its dump's pid came through: it is written down, so that the lane need not wait by the clock.
#[tokio::test]
async fn a_dump_that_had_not_told_its_pid_is_asked_about_by_what_it_wrote_down() {
    on_each(instant("counter"), async |rig| {
        let pinned = rig.pin().await;
        rig.fault("dump", FaultKind::Hang);
        let failed = rig.android.read(&pinned, WANTS, &budget(1_500)).await.unwrap_err();
        let known = failed.leftover.unwrap();
        let untold = Leftover { pid: None, ..known.clone() };
        let due = untold.note.as_ref().unwrap().due;
        assert!(due < tokio::time::Instant::now() + Duration::from_secs(1));
        assert!(!rig.android.is_over(&pinned, &untold, &budget(5_000)).await, "it may be about to begin");
        tokio::time::sleep_until(due).await;
        assert!(!rig.android.is_over(&pinned, &untold, &budget(5_000)).await, "it runs");
        rig.phone().kill(known.pid.unwrap());
        assert!(rig.android.is_over(&pinned, &untold, &budget(5_000)).await);
        let path = "/data/local/tmp/handset-nobody-1-*.pid".to_owned();
        let never = Leftover { note: Some(Note { path, due }), ..untold };
        assert!(rig.android.is_over(&pinned, &never, &budget(5_000)).await, "it never began");
        rig.read().await.unwrap();
        assert_eq!(rig.leaked(), Vec::<String>::new());
    })
    .await;
}

#[tokio::test]
async fn what_was_left_is_asked_about_over_the_connection_the_device_has_now() {
    let Some(rig) = Rig::real(instant("counter")).await else { return };
    let pinned = rig.pin().await;
    rig.fault("dump", FaultKind::Hang);
    let leftover = rig.android.read(&pinned, WANTS, &budget(1_500)).await.unwrap_err().leftover.unwrap();
    rig.adb(&["disconnect", &pinned.key.id]).await;
    assert!(!rig.android.is_over(&pinned, &leftover, &budget(5_000)).await, "nobody can be asked");
    rig.adb(&["connect", &pinned.key.id]).await;
    assert_ne!(rig.pin().await.connection, pinned.connection);
    assert!(!rig.android.is_over(&pinned, &leftover, &budget(5_000)).await, "it runs");
    rig.phone().kill(leftover.pid.unwrap());
    assert!(rig.android.is_over(&pinned, &leftover, &budget(5_000)).await);
}

#[tokio::test]
async fn what_reads_met_is_said_rather_than_that_time_ran_out_over_another() {
    on_each(instant("counter"), async |rig| {
        rig.fault("now", FaultKind::SlotBusy { ms: 60_000 });
        let pinned = rig.pin().await;
        let failed = rig.android.read(&pinned, WANTS, &budget(1_500)).await.unwrap_err();
        assert_eq!(failed.failure.code, Code::SlotBusy, "{}", failed.failure);
        rig.fault("now", FaultKind::SlotBusy { ms: 0 });
        rig.fault("dump", FaultKind::NeverIdle);
        rig.fault("dump", FaultKind::Hang);
        let failed = rig.android.read(&pinned, WANTS, &budget(1_500)).await.unwrap_err();
        assert_eq!(failed.failure.code, Code::NotIdle, "{}", failed.failure);
        assert!(failed.failure.message.contains("time ran out"), "{}", failed.failure);
        assert!(failed.leftover.unwrap().pid.is_some(), "the other one still runs");
    })
    .await;
}

#[tokio::test]
async fn a_screen_that_may_be_locked_is_no_answer_where_time_ran_out_over_the_question() {
    on_each(instant("counter"), async |rig| {
        let pinned = rig.pin().await;
        rig.phone().set_locked(true);
        rig.phone().fault(Fault::forever("dumpsys", FaultKind::Hang));
        let failed = rig.android.read(&pinned, WANTS, &budget(1_500)).await.unwrap_err();
        assert_eq!(failed.failure.code, Code::Timeout, "{}", failed.failure);
    })
    .await;
}

// An activity service that hangs has not said that nothing is in front.
#[tokio::test]
async fn which_app_is_in_front_is_not_told_where_the_service_hangs() {
    on_each(instant("counter"), async |rig| {
        let pinned = rig.pin().await;
        rig.phone().fault(Fault::forever("dumpsys", FaultKind::Hang));
        let failure = rig.android.screen(&pinned, &budget(20_000)).await.unwrap_err();
        assert_eq!(failure.code, Code::Timeout, "{failure}");
        rig.phone().clear_faults();
        let said = FaultKind::ErrorText { text: String::new(), stderr: false, status: 0 };
        rig.phone().fault(Fault::forever("dumpsys", said));
        let facts = rig.android.screen(&pinned, &budget(20_000)).await.unwrap();
        assert_eq!((facts.package, facts.activity), (None, None), "it answers: there is nothing in front");
        rig.phone().clear_faults();
        let facts = rig.android.screen(&pinned, &budget(20_000)).await.unwrap();
        assert_eq!(facts.package.as_deref(), Some("com.example.counter"));
    })
    .await;
}

#[tokio::test]
async fn a_cancelled_read_ends_at_once_with_its_leftover() {
    on_each(instant("counter"), async |rig| {
        let pinned = rig.pin().await;
        rig.fault("dump", FaultKind::Hang);
        let token = CancellationToken::new();
        let budget = Budget::new(Duration::from_secs(60), token.clone());
        let cancel = async {
            tokio::time::sleep(Duration::from_millis(1_200)).await;
            token.cancel();
        };
        let (read, ()) = tokio::join!(rig.android.read(&pinned, WANTS, &budget), cancel);
        let failed = read.unwrap_err();
        assert_eq!(failed.failure.code, Code::Cancelled);
        assert!(failed.leftover.unwrap().pid.is_some());
    })
    .await;
}

#[tokio::test]
async fn a_budget_that_ended_reads_nothing_and_leaves_nothing() {
    on_each(instant("counter"), async |rig| {
        let pinned = rig.pin().await;
        let failed = rig.android.read(&pinned, WANTS, &budget(0)).await.unwrap_err();
        assert_eq!((failed.failure.code, failed.reads.len(), failed.leftover), (Code::Timeout, 0, None));
    })
    .await;
}

#[tokio::test]
async fn files_of_the_dead_are_swept_and_those_in_use_are_not() {
    on_each(instant("counter"), async |rig| {
        let pinned = rig.pin().await;
        rig.shell("touch /data/local/tmp/handset-other-1-999999.xml /data/local/tmp/mine.xml; touch /data/local/tmp/handset-other-2-$$.xml").await;
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
    })
    .await;
}

// §3c: lost mid-command.
#[tokio::test]
async fn a_device_that_goes_away_is_offline() {
    let Some(rig) = Rig::real(instant("counter")).await else { return };
    let pinned = rig.pin().await;
    rig.adb(&["disconnect", &pinned.key.id]).await;
    let asked = Instant::now();
    let failed = rig.android.read(&pinned, WANTS, &budget(20_000)).await.unwrap_err();
    assert_eq!(
        (failed.failure.code, failed.reads.len(), failed.leftover),
        (Code::DeviceOffline, 1, None),
        "{}",
        failed.failure
    );
    assert!(asked.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn a_device_that_goes_away_in_the_middle_of_a_read_is_offline() {
    on_each(instant("counter"), async |rig| {
        let pinned = rig.pin().await;
        rig.phone().fault(Fault::forever("dump", FaultKind::Offline { ms: None }));
        let failed = rig.android.read(&pinned, WANTS, &budget(20_000)).await.unwrap_err();
        assert_eq!(failed.failure.code, Code::DeviceOffline, "{}", failed.failure);
        assert!(failed.reads.len() <= 2);
    })
    .await;
}

#[tokio::test]
async fn a_replugged_device_is_noticed_by_its_connection() {
    let Some(rig) = Rig::real(instant("counter")).await else { return };
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
    let Some(rig) = Rig::real(instant("counter")).await else { return };
    let pinned = rig.pin().await;
    rig.adb(&["kill-server"]).await;
    // A device on the network is not attached to a new server by itself.
    let failed = rig.android.read(&pinned, WANTS, &budget(20_000)).await.unwrap_err();
    assert_eq!(failed.failure.code, Code::DeviceOffline, "{}", failed.failure);
}

#[tokio::test]
async fn a_replug_by_itself_is_noticed_too() {
    on_each(instant("counter"), async |rig| {
        let pinned = rig.pin().await;
        rig.phone().replug();
        let failed = rig.android.read(&pinned, WANTS, &budget(20_000)).await;
        // The real adb reconnects a network device in the background, under its old number.
        if !rig.is_real() {
            assert_eq!(failed.unwrap_err().failure.code, Code::DeviceOffline);
        }
    })
    .await;
}

#[tokio::test]
async fn what_the_environment_names_does_not_redirect_a_pinned_device() {
    let Some(mut rig) = Rig::real(instant("counter")).await else { return };
    let pinned = rig.pin().await;
    std::sync::Arc::get_mut(&mut rig.android).unwrap().adb.env.push(("ANDROID_SERIAL".into(), "emulator-5554".into()));
    assert!(rig.android.read(&pinned, WANTS, &budget(20_000)).await.is_ok());
}
