//! What is in front, how large it is, and whether it is on.

use handset_model::android::{
    ScreenState, parse_getprop, parse_keyboard_shown, parse_resumed_activity, parse_screen_state, parse_wm_size,
};
use handset_model::ui::Size;

use crate::support::{capture, capture_text};

#[test]
fn the_activity_in_front_is_found_in_every_version() {
    // One capture is a template.
    let text = |file: &str| capture_text(file).replace("${pkg}", "com.app").replace("${act}", ".Main");
    let settings = Some("com.android.settings/com.android.settings.Settings");
    let table = [
        ("dumpsys/auto-mobile_api25-window-dump.txt", Some("com.example.testapp/com.example.testapp.MainActivity")),
        ("dumpsys/auto-mobile_api26-settings-window-dump.txt", settings),
        ("dumpsys/auto-mobile_api28-settings-window-dump.txt", settings),
        ("dumpsys/auto-mobile_api29-settings-window-dump.txt", settings),
        ("dumpsys/auto-mobile_api30-settings-window-dump.txt", settings),
        ("dumpsys/auto-mobile_api31-settings-window-dump.txt", settings),
        ("dumpsys/auto-mobile_api33-settings-window-dump.txt", settings),
        ("dumpsys/auto-mobile_api34-settings-window-dump.txt", settings),
        ("dumpsys/auto-mobile_api35-settings-window-dump.txt", settings),
        ("dumpsys/auto-mobile_api36-settings-window-dump.txt", settings),
        (
            "dumpsys/auto-mobile_active-window-with-popup.txt",
            Some("dev.jasonpearson.automobile.playground/dev.jasonpearson.android.appshell.MainTabActivity"),
        ),
        (
            "commands/dumpsys_activity/androidperf_activities_synthetic.txt",
            Some("com.example.app/com.example.app.HomeActivity"),
        ),
        (
            "commands/dumpsys_activity/androidtv_mResumedActivity.txt",
            Some("com.google.android.tvlauncher/com.google.android.tvlauncher.MainActivity"),
        ),
        (
            "commands/dumpsys_activity/awesome-adb_mResumedActivity_launcher.txt",
            Some("com.cyanogenmod.trebuchet/com.android.launcher3.Launcher"),
        ),
        ("commands/dumpsys_activity/trailblaze_split_screen_two_resumed.txt", settings),
        ("commands/dumpsys_activity/androidtv_hdmi_intents.txt", None),
        (
            "commands/dumpsys_window/adbutils_focus_car_launcher.txt",
            Some("com.incall.apps.launcher/com.incall.apps.launcher.Launcher"),
        ),
        (
            "commands/dumpsys_window/androidtv_focus_window_without_activity.txt",
            Some("tunein.player/tunein.ui.leanback.ui.activities.TvHomeActivity"),
        ),
        ("commands/dumpsys_window/appium_focus_isShadow_comma.txt", Some("com.app/com.app.Main")),
        (
            "commands/dumpsys_window/appium_focus_three_displays_null_first.txt",
            Some("com.example.android/com.example.android.activity.main.MainActivity"),
        ),
        (
            "commands/dumpsys_window/appium_focus_two_displays_samsung_subscreen.txt",
            Some("eu.niko.smart.universal/crc648a3abc16689e594e.MainActivity"),
        ),
        (
            "commands/dumpsys_window/tradefed_focus_chrome.txt",
            Some("com.android.chrome/org.chromium.chrome.browser.ChromeTabbedActivity"),
        ),
    ];
    for (file, expected) in table {
        let found = parse_resumed_activity(&text(file)).map(|(package, activity)| format!("{package}/{activity}"));
        assert_eq!(found.as_deref(), expected, "{file}");
    }
}

#[test]
fn old_windows_have_no_user() {
    let text = "  mCurrentFocus=Window{41b37570 com.app/com.app.Main paused=false}";
    assert_eq!(parse_resumed_activity(text), Some(("com.app".into(), "com.app.Main".into())));
}

#[test]
fn the_override_is_the_size() {
    assert_eq!(
        parse_wm_size(&capture_text("commands/wm/awesome-adb_wm_size.txt")),
        Some(Size { width: 1080, height: 1920 })
    );
    let both = "WARNING: x\r\nPhysical size: 1440x3200\r\nOverride size: 1080x2400\r\n";
    assert_eq!(parse_wm_size(both), Some(Size { width: 1080, height: 2400 }));
    for text in ["", "Physical density: 420", "Physical size: 0x0", "Physical size: axb"] {
        assert_eq!(parse_wm_size(text), None, "{text}");
    }
}

#[test]
fn the_keyboard_is_known_when_said() {
    assert_eq!(
        parse_keyboard_shown(&capture_text("commands/dumpsys_input_method/trailblaze_mInputShown_true.txt")),
        Some(true)
    );
    assert_eq!(
        parse_keyboard_shown(&capture_text("commands/dumpsys_input_method/trailblaze_mInputShown_false.txt")),
        Some(false)
    );
    assert_eq!(parse_keyboard_shown("Can't find service: input_method"), None);
}

#[test]
fn screen_and_keyguard_are_read_where_said() {
    let state = |on, locked| ScreenState { on, locked };
    for (file, expected) in [
        ("dumpsys_power/detox_power_awake.txt", state(Some(true), None)),
        ("dumpsys_window/appium_policy_keyguard_SCREEN_STATE_OFF.txt", state(Some(false), Some(false))),
        ("dumpsys_window/appium_policy_mDreamingLockscreen_true.txt", state(None, Some(true))),
        ("dumpsys_window/appium_policy_mShowingLockscreen_true.txt", state(None, Some(true))),
        ("dumpsys_window/gapid_window_screen_off_unlocked.txt", state(Some(false), Some(false))),
        ("dumpsys_window/gapid_window_screen_on_locked.txt", state(Some(true), Some(true))),
        ("dumpsys_activity/tradefed_KeyguardController_showing.txt", state(None, Some(true))),
        ("dumpsys_window/tradefed_focus_chrome.txt", state(None, None)),
    ] {
        assert_eq!(parse_screen_state(&capture_text(&format!("commands/{file}"))), expected, "{file}");
    }
}

#[test]
fn an_activity_over_the_keyguard_is_in_front_of_it() {
    assert_eq!(parse_screen_state("  mKeyguardShowing=true\n  mOccluded=true").locked, Some(false));
}

#[test]
fn properties_are_read_with_values_over_lines() {
    let text = "[a.b]: [1]\r\n[empty]: []\n[long]: [one\ntwo]\nnoise\n[last]: [x: [y]]\n";
    let properties = parse_getprop(text);
    assert_eq!(properties.len(), 4);
    assert_eq!(properties["a.b"], "1");
    assert_eq!(properties["empty"], "");
    assert_eq!(properties["long"], "one\ntwo");
    assert_eq!(properties["last"], "x: [y]");
}

#[test]
fn a_real_list_of_properties_is_read() {
    let bytes = capture("dumpsys/samsung_galaxy_getprop.txt");
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    let properties = parse_getprop(String::from_utf16_lossy(&units).trim_start_matches('\u{FEFF}'));
    assert!(properties.len() > 500, "{}", properties.len());
    assert!(properties.contains_key("aaudio.hw_burst_min_usec"));
}
