//! `handset parse`: captures of every kind, and files that are something else.

use std::process::Output;

use serde_json::Value;

use crate::support::fed;

fn parse(args: &[&str], stdin: &[u8]) -> Output {
    fed(&[&["parse"], args].concat(), stdin)
}

fn told(output: &Output, status: i32) -> Value {
    assert_eq!((output.status.code(), output.stderr.len()), (Some(status), 0), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

#[test]
fn a_captured_output_of_each_kind_comes_out_as_json() {
    let captures = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/captures");
    for (kind, file, pointer) in [
        ("logcat", "logcat/andlogview_galaxy_nexus_jbmr2_time.txt", "/entries/8/tag"),
        ("activity", "commands/dumpsys_activity/androidtv_mResumedActivity.txt", "/resumed/activity"),
        ("window", "dumpsys/auto-mobile_api36-settings-window-dump.txt", "/focus/package"),
        ("devices", "commands/adb_devices/quern_l_four_states.txt", "/devices/3/remedy"),
        ("getprop", "dumpsys/samsung_galaxy_getprop.txt", "/device/model"),
    ] {
        let file = format!("{captures}/{file}");
        let from_file = told(&parse(&[kind, &file], b""), 0);
        assert!(from_file.pointer(pointer).is_some_and(Value::is_string), "{kind}: {pointer} of {from_file:#}");
        let from_stdin = told(&parse(&[kind, "-"], &std::fs::read(&file).unwrap()), 0);
        assert_eq!(from_file, from_stdin, "{kind}");
    }
}

#[test]
fn a_file_of_another_kind_is_a_typed_error_and_no_empty_success() {
    for kind in ["logcat", "activity", "window", "devices", "getprop"] {
        for text in ["", "<hierarchy rotation=\"0\"></hierarchy>", "a table\nof something\n"] {
            let error = told(&parse(&[kind, "-"], text.as_bytes()), 3)["error"].clone();
            assert!(error["code"].is_string() && error["remedy"].is_string(), "{kind}: {error:#}");
        }
        let error = told(&parse(&[kind, "-"], b"error: device unauthorized.\n"), 3)["error"].clone();
        assert_eq!(error["code"], "DEVICE_OFFLINE", "{kind}");
    }
}

#[test]
fn a_file_that_is_not_there_is_said_on_stderr() {
    let output = parse(&["logcat", "/nowhere/at/all"], b"");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("/nowhere/at/all"));
}
