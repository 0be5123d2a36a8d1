//! Whole captures of the activity and window managers, and files of any kind.

use handset_model::android::{parse_activities, parse_windows};
use handset_model::capture::{CaptureKind, decode, parse_capture};

use crate::support::{capture, capture_text};

const SETTINGS: &str = "com.android.settings";

#[test]
fn windows_of_every_version_say_who_is_in_front_and_where() {
    for (api, windows, rotation) in [
        (26, 8, 0),
        (28, 13, 3),
        (29, 8, 0),
        (30, 10, 0),
        (31, 10, 0),
        (33, 13, 0),
        (34, 13, 0),
        (35, 11, 0),
        (36, 11, 0),
    ] {
        let found =
            parse_windows(&capture_text(&format!("dumpsys/auto-mobile_api{api}-settings-window-dump.txt"))).unwrap();
        assert_eq!((found.windows.len(), found.rotation), (windows, Some(rotation)), "API {api}");
        let front = found.front.as_ref().map(|(package, _)| package.as_str());
        assert_eq!(front, Some(SETTINGS), "API {api}");
        let own = found.windows.iter().find(|window| window.package.as_deref() == Some(SETTINGS)).unwrap();
        let frame = own.frame.unwrap();
        assert!(frame[2] >= 1080 && own.visible == Some(true), "API {api}: {own:?}");
        assert!(found.windows.iter().all(|window| window.kind.is_some() && !window.secure), "API {api}");
    }
}

#[test]
fn a_secure_window_is_told_by_word_and_by_number() {
    for flags in ["fl=LAYOUT_IN_SCREEN SECURE HARDWARE_ACCELERATED", "fl=#81812100", "fl=#81812100 pfl=0x0"] {
        let text = format!(
            "  Window #1 Window{{41 u0 com.app/com.app.Pay}}:\n    mAttrs={{(0,0)(fillxfill) ty=1 {flags}}}\n    mHasSurface=true isReadyForDisplay()=true\n  mCurrentFocus=Window{{41 u0 com.app/com.app.Pay}}\n"
        );
        let found = parse_windows(&text).unwrap();
        assert_eq!(found.secure_in_front().map(|window| window.title.as_str()), Some("com.app/com.app.Pay"), "{flags}");
    }
    let plain = "  Window #1 Window{41 u0 a/b}:\n    mAttrs={ty=1 fl=#81810100 pfl=0x0}\n    isVisible=true\n";
    assert!(parse_windows(plain).unwrap().secure_in_front().is_none());
}

#[test]
fn the_keyboard_has_its_frame() {
    let text = "  Window #3 Window{41 u0 InputMethod}:\n    mDisplayId=0 package=ime\n    mAttrs={ty=INPUT_METHOD fmt=TRANSPARENT\n      fl=NOT_FOCUSABLE}\n    Frames: parent=[0,0][9,9] frame=[0,1500][1080,2400] last=[0,0][0,0]\n    isVisible=true\n";
    assert_eq!(parse_windows(text).unwrap().keyboard(), Some((true, Some([0, 1500, 1080, 2400]))));
}

#[test]
fn of_several_displays_the_one_with_a_focus_counts() {
    for file in ["appium_focus_three_displays_null_first.txt", "appium_focus_two_displays_samsung_subscreen.txt"] {
        let found = parse_windows(&capture_text(&format!("commands/dumpsys_window/{file}"))).unwrap();
        let (package, activity) = found.front.unwrap();
        assert!(
            activity.ends_with("MainActivity") && package != "com.android.systemui",
            "{file}: {package} {activity}"
        );
    }
    let two = "  Display: mDisplayId=0\n    init=1080x2400 420dpi cur=1080x2400 app=1x1\n  mCurrentFocus=Window{1 u0 a.b/a.b.C}\n  Display: mDisplayId=2\n    init=800x600 160dpi cur=600x800 app=1x1\n  mCurrentFocus=Window{2 u0 d.e/d.e.F}\n  mTopFocusedDisplayId=2\n";
    let found = parse_windows(two).unwrap();
    assert_eq!((found.focus.as_deref(), found.displays.len()), (Some("d.e/d.e.F"), 2));
    assert_eq!(found.displays[1].size.map(|size| (size.width, size.height)), Some((600, 800)));
    assert_eq!(found.displays[0].density, Some(420));
}

#[test]
fn tasks_hold_their_activities_and_the_resumed_one_is_named() {
    let text = "\
ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)
Display #0 (activities from top to bottom):
  * Task{c5ebfbb #8 type=standard A=10149:com.acme.shop U=0 visible=true visibleRequested=true mode=fullscreen translucent=false sz=2}
    mLastPausedActivity: ActivityRecord{1 u0 com.acme.shop/.Cart t8}
    * Hist  #1: ActivityRecord{6d4d7f7 u0 com.acme.shop/.Cart t8}
      packageName=com.acme.shop processName=com.acme.shop
      mState=RESUMED mFinished=false
    * Hist  #0: ActivityRecord{2d u0 com.acme.shop/com.acme.shop.Main t8}
      mState=STOPPED
  * Task{a #1 type=home U=0 visible=false mode=fullscreen sz=1}
  ResumedActivity: ActivityRecord{6d4d7f7 u0 com.acme.shop/.Cart t8}
";
    let found = parse_activities(text).unwrap();
    let resumed = found.resumed.clone().unwrap();
    assert_eq!((resumed.activity.as_str(), resumed.task, resumed.user), ("com.acme.shop.Cart", Some(8), Some(0)));
    assert_eq!(found.tasks.len(), 2);
    let (task, states) = (&found.tasks[0], found.tasks[0].activities.iter().map(|entry| entry.state.as_deref()));
    assert_eq!((task.affinity.as_deref(), task.visible), (Some("com.acme.shop"), Some(true)));
    assert_eq!(states.collect::<Vec<_>>(), [Some("RESUMED"), Some("STOPPED")]);
}

#[test]
fn the_top_activity_of_older_and_newer_versions_is_read() {
    for file in [
        "androidtv_mResumedActivity.txt",
        "trailblaze_split_screen_two_resumed.txt",
        "androidperf_activities_synthetic.txt",
    ] {
        assert!(
            parse_activities(&capture_text(&format!("commands/dumpsys_activity/{file}"))).unwrap().resumed.is_some(),
            "{file}"
        );
    }
    let top = "TASK com.acme.shop id=8 userId=0\n  ACTIVITY com.acme.shop/.Main 41 pid=77\n    Local Activity 1 State:\n      mResumed=true mStopped=false mFinished=false\n";
    let resumed = parse_activities(top).unwrap().resumed.unwrap();
    assert_eq!((resumed.activity.as_str(), resumed.pid), ("com.acme.shop.Main", Some(77)));
}

#[test]
fn who_crashed_and_who_hangs_is_told_with_its_process() {
    let found =
        parse_activities(&capture_text("commands/dumpsys_activity/quern_processes_crash_dialog_excerpt.txt")).unwrap();
    let crashing: Vec<&str> =
        found.processes.iter().filter(|process| process.crashing).map(|process| process.name.as_str()).collect();
    assert_eq!(crashing, ["com.google.android.deskclock"]);
    let hangs = capture_text("commands/dumpsys_activity/tradefed_processes_notResponding_AppNotRespondingDialog.txt");
    assert!(parse_activities(&hangs).unwrap().processes[0].not_responding);
}

#[test]
fn each_kind_takes_its_own_and_refuses_the_others() {
    use CaptureKind::{Activity, Devices, Getprop, Logcat, Window};
    let files = [
        (Logcat, "logcat/andlogview_galaxy_nexus_jbmr2_threadtime.txt"),
        (Activity, "commands/dumpsys_activity/androidperf_activities_synthetic.txt"),
        (Window, "dumpsys/auto-mobile_api34-settings-window-dump.txt"),
        (Devices, "commands/adb_devices/quern_l_four_states.txt"),
        (Getprop, "dumpsys/samsung_galaxy_getprop.txt"),
    ];
    for (kind, _) in files {
        for (own, file) in files {
            let read = parse_capture(kind, &capture(file));
            match read {
                Ok(_) => assert_eq!(kind, own, "{file} is taken for {kind:?}"),
                Err(failure) => {
                    assert!(kind != own && failure.code.as_str() != "UNKNOWN", "{file} as {kind:?}: {failure}")
                }
            }
        }
        for wrong in [
            &b""[..],
            b"\n\n",
            b"<hierarchy/>",
            b"{\"a\": [1]}",
            b"error: device offline\n",
            b"Killed\n",
            b"\x00\xff\xfe",
        ] {
            let failure = parse_capture(kind, wrong).unwrap_err();
            assert!(!failure.message.is_empty(), "{kind:?}");
        }
    }
}

#[test]
fn a_list_without_a_device_is_a_list() {
    let found =
        parse_capture(CaptureKind::Devices, b"* daemon started successfully\nList of devices attached\n\n").unwrap();
    assert_eq!(found["count"], 0);
    let one = parse_capture(CaptureKind::Devices, b"emulator-5554\tunauthorized\n").unwrap();
    assert!(one["devices"][0]["remedy"].as_str().unwrap().contains("USB debugging"));
    assert!(parse_capture(CaptureKind::Devices, b"some other\ttable\n").is_err());
}

#[test]
fn what_powershell_wrote_is_read() {
    let bytes: Vec<u8> = "\u{feff}I/a( 1): b\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(parse_capture(CaptureKind::Logcat, &bytes).unwrap()["entries"][0]["message"], "b");
    assert_eq!(decode(b"\xef\xbb\xbfa"), "a");
}
