use std::time::Duration;

use handset_model::Code;
use simphone::{Fault, FaultKind, Profile};
use tokio::time::Instant;

use super::rig::{Rig, budget, instant, on_each, paced};
use crate::budget::Stopped;
use crate::device::{Adapter, Input, Lanes, Reached};
use crate::process::{Output, ProcessError};

#[tokio::test]
async fn preparing_sends_no_input() {
    on_each(instant("counter"), async |rig| {
        let pinned = rig.pin().await;
        for input in [
            Input::Tap { x: 1, y: 2 },
            Input::Back,
            Input::Text("a b\nc".to_owned().into()),
            Input::StartApp { app_id: "com.example.counter".to_owned(), user: None },
        ] {
            let prepared = rig.android.prepare(&pinned, input, &budget(5_000)).await.unwrap();
            assert_eq!((prepared.commands.len(), prepared.gesture_ms), (1, 0));
        }
        let swipe = Input::Swipe { x1: 1, y1: 2, x2: 3, y2: 4, duration_ms: 700 };
        assert_eq!(rig.android.prepare(&pinned, swipe, &budget(5_000)).await.unwrap().gesture_ms, 700);
        assert_eq!(rig.phone().journal().inputs(), []);
        assert!(
            rig.phone()
                .journal()
                .commands()
                .iter()
                .all(|command| command.argv[0] != "input" && !(command.argv[0] == "am" && command.argv[1] == "start"))
        );
    })
    .await;
}

#[tokio::test]
async fn a_tap_a_swipe_and_back_arrive() {
    on_each(instant("counter"), async |rig| {
        rig.tap("increment").await.unwrap();
        assert_eq!(rig.phone().text_of("value").as_deref(), Some("Count: 1"));
        rig.act(Input::Swipe { x1: 500, y1: 1_500, x2: 500, y2: 1_600, duration_ms: 100 }).await.unwrap();
        rig.act(Input::Back).await.unwrap();
        let kinds: Vec<String> = rig.phone().journal().inputs().into_iter().map(|input| input.kind).collect();
        assert_eq!(kinds, ["tap", "swipe", "keyevent"]);
    })
    .await;
}

// §3b 19: what the device's shell and `input` would eat arrives.
#[tokio::test]
async fn text_arrives_as_it_was_given() {
    on_each(instant("login"), async |rig| {
        rig.tap("username").await.unwrap();
        let text = "100%s ~#;'\"$(reboot)`id`\\ a&b|c<d>e *? % s";
        let prepared =
            rig.android.prepare(&rig.pin().await, Input::Text(text.to_owned().into()), &budget(5_000)).await.unwrap();
        assert_eq!(prepared.commands.len(), 1);
        rig.act(Input::Text(text.to_owned().into())).await.unwrap();
        assert_eq!(rig.phone().text_of("username").as_deref(), Some(text));
    })
    .await;
}

#[tokio::test]
async fn long_text_is_several_children_and_all_of_it_arrives() {
    on_each(instant("login"), async |rig| {
        rig.tap("username").await.unwrap();
        let text = "0123456789 ab%s_".repeat(320);
        let prepared =
            rig.android.prepare(&rig.pin().await, Input::Text(text.clone().into()), &budget(5_000)).await.unwrap();
        assert!(
            prepared.commands.len() > 1
                && prepared.commands.iter().all(|command| command.args.iter().all(|arg| arg.len() < 4_096))
        );
        rig.act_within(Input::Text(text.clone().into()), 60_000).await.unwrap();
        assert_eq!(rig.phone().text_of("username"), Some(text));
    })
    .await;
}

// §3b 20: refused before anything is sent.
#[tokio::test]
async fn untypable_text_is_refused_before_anything_is_sent() {
    on_each(instant("login"), async |rig| {
        let failure = rig.act(Input::Text("abc é".to_owned().into())).await.unwrap_err();
        assert_eq!(failure.code, Code::UnsupportedText);
        assert_eq!(rig.phone().journal().inputs(), []);
    })
    .await;
}

fn refusing(text: &str, status: i32, skip: u32) -> Fault {
    let kind = FaultKind::ErrorText { text: text.to_owned(), stderr: true, status };
    Fault { skip, ..Fault::once("input", kind) }
}

#[tokio::test]
async fn typing_stops_at_its_first_failure_and_says_how_far_it_came() {
    on_each(instant("login"), async |rig| {
        rig.tap("username").await.unwrap();
        rig.phone().fault(refusing("Error: Invalid arguments", 255, 2));
        let refused = rig.try_within(Input::Text("one\ttwo\tthree".to_owned().into()), 10_000).await.unwrap_err();
        assert_eq!((refused.failure.code, refused.reached), (Code::ActionRejected, Reached::Perhaps));
        assert!(refused.failure.message.ends_with("2 of 5 strokes were typed"), "{}", refused.failure);
        assert!(!refused.failure.is_retryable() && refused.leftover.is_none());
        let typed: Vec<_> = rig.phone().journal().inputs().into_iter().filter(|input| input.kind == "text").collect();
        assert_eq!(typed.len(), 1);
        // The first stroke, refused as it is written, changed nothing.
        rig.phone().fault(refusing("Error: Invalid arguments", 255, 0));
        let refused = rig.try_within(Input::Text("one\ttwo".to_owned().into()), 10_000).await.unwrap_err();
        assert_eq!(refused.reached, Reached::No, "{}", refused.failure);
        rig.fault("input", FaultKind::Killed);
        let refused = rig.try_within(Input::Text("one".to_owned().into()), 10_000).await.unwrap_err();
        assert_eq!((refused.failure.code, refused.reached), (Code::ActionRejected, Reached::Perhaps));
    })
    .await;
}

// What vendors print under an input, and however much, does not undo it.
#[tokio::test]
async fn noise_undoes_no_input_and_no_start() {
    let path = "../fixtures/captures/commands/uiautomator_dump/sharpadb_MIUI_theme_FileNotFoundException_only.txt";
    let miui = std::fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    on_each(instant("counter"), async |rig| {
        let error = "Error: could not load /vendor/overlay (harmless)".to_owned();
        for (count, text) in [miui.clone(), error, "x".repeat(300_000)].into_iter().enumerate() {
            for stderr in [true, false] {
                rig.fault("input", FaultKind::Noise { text: text.clone(), stderr });
                rig.tap("increment").await.unwrap();
                rig.fault("am", FaultKind::Noise { text: text.clone(), stderr });
                rig.act(Input::StartApp { app_id: "com.example.counter".to_owned(), user: None }).await.unwrap();
            }
            assert_eq!(rig.phone().text_of("value"), Some(format!("Count: {}", 2 * (count + 1))));
        }
    })
    .await;
}

// §3b 23, and errors with exit 0.
#[tokio::test]
async fn denied_input_is_told_also_with_exit_0() {
    on_each(instant("counter"), async |rig| {
        rig.fault("input", FaultKind::InputDenied);
        assert_eq!(rig.act(Input::Back).await.unwrap_err().code, Code::InputDenied);
        let text = "java.lang.SecurityException: Injecting to another application requires INJECT_EVENTS permission"
            .to_owned();
        rig.fault("input", FaultKind::ErrorText { text, stderr: true, status: 0 });
        assert_eq!(rig.act(Input::Back).await.unwrap_err().code, Code::InputDenied);
        rig.fault(
            "input",
            FaultKind::ErrorText { text: "Error: Unknown command: tap".to_owned(), stderr: true, status: 0 },
        );
        assert_eq!(rig.act(Input::Tap { x: 1, y: 1 }).await.unwrap_err().code, Code::ActionRejected);
    })
    .await;
}

#[tokio::test]
async fn an_input_cut_off_is_a_timeout_that_must_not_be_repeated_and_names_what_it_left() {
    on_each(instant("counter"), async |rig| {
        let start = Input::StartApp { app_id: "com.example.counter".to_owned(), user: None };
        for (input, command) in [(Input::Back, "input"), (start, "am")] {
            let pinned = rig.pin().await;
            let prepared = rig.android.prepare(&pinned, input, &budget(5_000)).await.unwrap();
            rig.fault(command, FaultKind::Hang);
            let asked = Instant::now();
            let refused = rig.send(&pinned, prepared, &budget(1_000)).await.unwrap_err();
            assert_eq!((refused.failure.code, refused.failure.is_retryable()), (Code::ActionTimeout, false));
            assert_eq!(refused.reached, Reached::Perhaps);
            let leftover = refused.leftover.unwrap();
            let pid = leftover.pid.unwrap();
            assert!(
                leftover.until > asked + Duration::from_secs(8) && leftover.until < asked + Duration::from_secs(12)
            );
            assert!(!rig.android.is_over(&pinned, &leftover, &budget(5_000)).await);
            rig.shell(&format!("kill -9 {pid}")).await;
            assert!(rig.android.is_over(&pinned, &leftover, &budget(5_000)).await);
        }
    })
    .await;
}

#[tokio::test]
async fn a_late_input_keeps_the_lane_until_it_has_arrived() {
    let slow = Profile { input_ms: 2_000, ..Profile::INSTANT };
    on_each(paced("counter", slow), async |rig| {
        let pinned = rig.pin().await;
        let lane = Lanes::default().lane(&pinned.key);
        let turn = lane.enter(&budget(1_000)).await.unwrap();
        let asked = Instant::now();
        let refused = rig.try_within(Input::Tap { x: 1, y: 1 }, 700).await.unwrap_err();
        turn.leave_behind(rig.android.clone(), pinned.clone(), refused.leftover.unwrap());
        drop(lane.enter(&budget(20_000)).await.unwrap());
        assert_eq!(rig.phone().journal().inputs().len(), 1, "it has arrived");
        assert!((1_500..5_000).contains(&asked.elapsed().as_millis()), "{:?}", asked.elapsed());
    })
    .await;
}

#[tokio::test]
async fn an_input_that_may_not_have_begun_is_waited_for_shortly() {
    on_each(instant("counter"), async |rig| {
        let pinned = rig.pin().await;
        let swipe = Input::Swipe { x1: 1, y1: 2, x2: 3, y2: 4, duration_ms: 500 };
        let prepared = rig.android.prepare(&pinned, swipe, &budget(5_000)).await.unwrap();
        let stopped = ProcessError::Stopped { why: Stopped::Expired, partial: Output::default() };
        let now = Instant::now();
        let refused = rig.android.judge(&pinned, &prepared, now, Err(&stopped)).unwrap_err();
        let leftover = refused.leftover.unwrap();
        assert_eq!((refused.reached, leftover.pid), (Reached::Perhaps, None));
        let bound = leftover.until - now;
        assert!(bound >= Duration::from_millis(3_500) && bound < Duration::from_millis(4_500), "{bound:?}");
        // A stream that ended by itself before anything was said is over; one that adb refused was never sent.
        let closed = rig.android.judge(&pinned, &prepared, now, Ok(&Output::default())).unwrap_err();
        assert_eq!((closed.reached, closed.leftover), (Reached::Perhaps, None));
        let offline = Output { stderr: b"error: device offline\n".to_vec(), ..Output::default() };
        let refused = rig.android.judge(&pinned, &prepared, now, Ok(&offline)).unwrap_err();
        assert_eq!((refused.failure.code, refused.reached, refused.leftover), (Code::DeviceOffline, Reached::No, None));
    })
    .await;
}

#[tokio::test]
async fn an_input_after_a_reboot_nobody_noticed_is_not_sent() {
    on_each(instant("counter"), async |rig| {
        rig.read().await.unwrap();
        rig.phone().reboot_unnoticed();
        let refused = rig.try_within(Input::Back, 5_000).await.unwrap_err();
        assert_eq!((refused.failure.code, refused.reached), (Code::DeviceOffline, Reached::No));
        assert!(refused.failure.is_retryable() && rig.phone().journal().inputs().is_empty());
        // The next call lists again, and takes the device as it is now.
        rig.act(Input::Back).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_connection_lost_under_an_input_is_offline_and_not_repeated() {
    on_each(instant("counter"), async |rig| {
        rig.phone().fault(Fault::once("input", FaultKind::GoneMidCommand { after_ms: 0 }));
        let failure = rig.tap("increment").await.unwrap_err();
        assert_eq!((failure.code, failure.is_retryable()), (Code::DeviceOffline, false), "{failure}");
        assert!(rig.phone().journal().inputs().len() <= 1);
    })
    .await;
}

#[tokio::test]
async fn a_server_lost_under_an_input_is_offline_and_the_input_not_repeated() {
    let slow = Profile { input_ms: 1_000, ..Profile::INSTANT };
    let Some(rig) = Rig::real(paced("counter", slow)).await else { return };
    let act = rig.act(Input::Back);
    let kill = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        rig.adb(&["kill-server"]).await
    };
    let (result, _) = tokio::join!(act, kill);
    let failure = result.unwrap_err();
    assert_eq!((failure.code, failure.is_retryable()), (Code::DeviceOffline, false), "{failure}");
}

// §3b 22 and 24: the launcher activity, the user in front, `am start -W`.
#[tokio::test]
async fn an_app_is_started_by_its_launcher_activity() {
    on_each(instant("counter"), async |rig| {
        rig.adb(&["-s", &rig.pin().await.key.id, "shell", "am force-stop com.example.counter"]).await;
        let accepted = rig.act(Input::StartApp { app_id: "com.example.counter".to_owned(), user: None }).await.unwrap();
        assert!(accepted.launch_time_ms.is_some(), "{accepted:?}");
        assert_eq!(rig.phone().screen_name(), "counter");
        let start = rig
            .phone()
            .journal()
            .commands()
            .into_iter()
            .rfind(|command| command.argv[0] == "am" && command.argv[1].starts_with("start"))
            .unwrap();
        for part in ["-W", "--user", "-n"] {
            assert!(start.argv.contains(&part.to_owned()), "{:?}", start.argv);
        }
        // In front already: a warning, no error.
        rig.act(Input::StartApp { app_id: "com.example.counter".to_owned(), user: None }).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn an_app_that_is_not_there_is_refused_with_similar_ones() {
    on_each(instant("counter"), async |rig| {
        let failure =
            rig.act(Input::StartApp { app_id: "com.example.counters".to_owned(), user: None }).await.unwrap_err();
        assert_eq!(
            (failure.code, failure.candidates.as_slice()),
            (Code::ActionRejected, &[serde_json::json!("com.example.counter")][..]),
            "{failure}"
        );
        assert!(failure.message.contains("not installed"));
    })
    .await;
}

// §3b 21: nothing but an app id reaches a command line.
#[tokio::test]
async fn an_app_id_that_is_none_reaches_no_device() {
    on_each(instant("counter"), async |rig| {
        let asked = rig.phone().journal().counters().services;
        for id in ["com.example.counter; reboot", "--user", "$(reboot).x"] {
            assert_eq!(
                rig.act(Input::StartApp { app_id: id.to_owned(), user: None }).await.unwrap_err().code,
                Code::InvalidArgument
            );
        }
        assert_eq!(rig.phone().journal().counters().services, asked);
    })
    .await;
}

#[tokio::test]
async fn an_activity_that_is_not_there_is_refused_in_the_devices_words() {
    on_each(instant("counter"), async |rig| {
        let failure = rig
            .act(Input::StartApp { app_id: "com.example.counter/.Nowhere".to_owned(), user: None })
            .await
            .unwrap_err();
        assert_eq!(failure.code, Code::ActionRejected, "{failure}");
    })
    .await;
}

#[tokio::test]
async fn a_missing_adb_is_judged_as_a_missing_tool() {
    on_each(instant("counter"), async |rig| {
        let error = ProcessError::NotFound("adb".into());
        let pinned = rig.pin().await;
        let prepared = rig.android.prepare(&pinned, Input::Back, &budget(5_000)).await.unwrap();
        let refused = rig.android.judge(&pinned, &prepared, Instant::now(), Err(&error)).unwrap_err();
        assert_eq!((refused.failure.code, refused.reached), (Code::ToolNotFound, Reached::No));
    })
    .await;
}
