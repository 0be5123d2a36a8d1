//! Starting apps, finding what to start, and what `input` says.

use handset_model::Code;
use handset_model::android::{StartResult, classify_input, parse_am_start, parse_resolved_activity};

use crate::support::capture_text;

#[test]
fn a_cold_start_has_its_times() {
    let output = "Starting: Intent { cmp=com.app/.Main }\nStatus: ok\nLaunchState: COLD\nActivity: com.app/.Main\nTotalTime: 431\nWaitTime: 440\nComplete\n";
    let expected = StartResult {
        activity: Some("com.app/.Main".into()),
        total_time_ms: Some(431),
        status: Some("ok".into()),
        launch_state: Some("COLD".into()),
        already_running: false,
    };
    assert_eq!(parse_am_start(output), Ok(expected));
}

#[test]
fn being_there_already_is_a_success() {
    for warning in [
        "Warning: Activity not started, its current task has been brought to the front",
        "Warning: Activity not started, intent has been delivered to currently running top-most instance.",
    ] {
        let output =
            format!("Starting: Intent {{ cmp=com.app/.Main }}\n{warning}\nStatus: ok\nActivity: com.app/.Main\n");
        assert!(parse_am_start(&output).unwrap().already_running, "{warning}");
    }
}

#[test]
fn refusals_carry_the_devices_own_words() {
    for (output, words) in [
        (
            "Starting: Intent { cmp=a/.B }\nError type 3\nError: Activity class {a/a.B} does not exist.",
            "Activity class {a/a.B} does not exist",
        ),
        ("Error: Activity not started, unable to resolve Intent { act=x }", "unable to resolve Intent"),
        (
            "Starting: Intent { cmp=a/.B }\njava.lang.SecurityException: Permission Denial: starting Intent { cmp=a/.B } not exported from uid 10001",
            "not exported",
        ),
        ("Security exception: Permission Denial: starting Intent", "Permission Denial"),
        (
            "\nException occurred while executing 'start-activity':\njava.lang.IllegalArgumentException: Bad component name: x",
            "Exception occurred",
        ),
        ("/system/bin/sh: am: inaccessible or not found", "inaccessible"),
        ("", "nothing was printed"),
    ] {
        let failure = parse_am_start(output).unwrap_err().failure;
        assert_eq!(failure.code, Code::ActionRejected);
        assert!(failure.message.contains(words), "{}", failure.message);
    }
}

#[test]
fn captured_starts_are_judged() {
    let started = parse_am_start(&capture_text("commands/am_start/android_env_start_with_stopping.txt"));
    assert_eq!(started, Ok(StartResult::default()));
    let failure =
        parse_am_start(&capture_text("commands/am_start/android_env_unknown_error_101.txt")).unwrap_err().failure;
    assert!(failure.message.contains("unknown error code 101"), "{}", failure.message);
}

#[test]
fn the_component_is_the_last_line() {
    let output =
        "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true\ncom.android.settings/.Settings\n";
    assert_eq!(parse_resolved_activity(output).as_deref(), Some("com.android.settings/.Settings"));
}

#[test]
fn a_chooser_is_no_component() {
    assert_eq!(parse_resolved_activity(&capture_text("commands/cmd_package_resolve/argent_system_resolver.txt")), None);
    for output in ["No activity found", "", "Error: Unable to find /system/bin/x"] {
        assert_eq!(parse_resolved_activity(output), None, "{output}");
    }
}

#[test]
fn input_errors_are_typed() {
    for (output, code) in [
        (
            "java.lang.SecurityException: Injecting to another application requires INJECT_EVENTS permission",
            Code::InputDenied,
        ),
        (
            "java.lang.NullPointerException: Attempt to get length of null array\n\tat com.android.commands.input.Input.sendText(Input.java:97)",
            Code::UnsupportedText,
        ),
        (
            "Exception occurred while executing 'text':\njava.lang.NullPointerException: Attempt to invoke virtual method 'int android.view.KeyEvent[].length'",
            Code::UnsupportedText,
        ),
        ("Exception occurred while executing 'tap':\njava.lang.IllegalArgumentException: x", Code::ActionRejected),
        ("Error: Invalid arguments for command: tap\nUsage: input [<source>] <command>", Code::ActionRejected),
        ("Error: Unknown command: draganddrop", Code::ActionRejected),
        ("/system/bin/sh: input: inaccessible or not found", Code::Unsupported),
    ] {
        let status = if code == Code::Unsupported { 127 } else { 0 };
        assert_eq!(classify_input(output, status).map(|refusal| refusal.failure.code), Some(code), "{output}");
    }
}

/// What vendors print under inputs and starts that do arrive.
fn noises() -> [String; 4] {
    [
        capture_text("commands/uiautomator_dump/sharpadb_MIUI_theme_FileNotFoundException_only.txt"),
        "WARNING: linker: app_process has text relocations".to_owned(),
        "Error: could not load /vendor/overlay (harmless)".to_owned(),
        "java.io.FileNotFoundException: /vendor/x.conf: open failed: ENOENT\n\tat vendor.Loader.load(Loader.java:1)"
            .to_owned(),
    ]
}

#[test]
fn noise_with_exit_0_refuses_no_input() {
    assert_eq!(classify_input("", 0), None);
    for noise in noises() {
        assert_eq!(classify_input(&noise, 0), None, "{noise}");
        let denied = format!("{noise}\njava.lang.SecurityException: requires INJECT_EVENTS permission");
        let refusal = classify_input(&denied, 0).unwrap();
        assert_eq!((refusal.failure.code, refusal.nothing_done), (Code::InputDenied, true), "{noise}");
    }
}

#[test]
fn noise_does_not_undo_a_start() {
    for noise in noises() {
        let output = format!("{noise}\nStarting: Intent {{ cmp=a/.B }}\nStatus: ok\nTotalTime: 7\nComplete\n{noise}");
        assert_eq!(parse_am_start(&output).map(|started| started.total_time_ms), Ok(Some(7)), "{noise}");
    }
    let miui = &noises()[0];
    let refusal = parse_am_start(&format!("{miui}\nStarting: Intent {{ }}\nError type 3\n")).unwrap_err();
    assert!(refusal.nothing_done && refusal.failure.message.contains("Error type 3"), "{refusal:?}");
    assert!(!parse_am_start(miui).unwrap_err().nothing_done);
}

#[test]
fn an_input_that_failed_somehow_may_have_arrived() {
    for (output, status) in [
        ("Error: Injection of input event failed", 1),
        ("Killed", 137),
        ("", 1),
        ("Exception occurred while executing 'tap':\njava.lang.IllegalStateException: x", 255),
        ("Exception occurred while executing 'tap':\njava.lang.IllegalStateException: x", 0),
    ] {
        let refusal = classify_input(output, status).unwrap();
        assert_eq!((refusal.failure.code, refusal.nothing_done), (Code::ActionRejected, false), "{output}");
    }
    for (output, status) in [("Error: Unknown command: x", 0), ("sh: input: not found", 127)] {
        assert!(classify_input(output, status).unwrap().nothing_done, "{output}");
    }
}

#[test]
fn captured_input_errors_are_typed() {
    for (file, code) in [
        ("agent-device_input_text_exception.txt", Code::UnsupportedText),
        ("aosp_INJECT_EVENTS_requires_caller.txt", Code::InputDenied),
    ] {
        let output = capture_text(&format!("commands/input_errors/{file}"));
        assert_eq!(classify_input(&output, 0).map(|refusal| refusal.failure.code), Some(code), "{file}");
    }
}
