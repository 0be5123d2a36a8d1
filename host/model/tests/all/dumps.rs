//! What the dump command says when there is no tree.

use handset_model::Code;
use handset_model::android::classify_dump_error;

use crate::support::capture_text;

#[test]
fn error_texts_are_typed() {
    for (output, code) in [
        ("ERROR: null root node returned by UiTestAutomationBridge.", Code::NullRoot),
        ("ERROR: could not get idle state.", Code::NotIdle),
        (
            "java.lang.IllegalStateException: UiAutomationService android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@5already registered!",
            Code::SlotBusy,
        ),
        ("java.lang.IllegalStateException: UiAutomation not connected, UiAutomation@1[id=-1, flags=0]", Code::SlotBusy),
        ("Killed", Code::ReaderKilled),
        ("/system/bin/sh: 1234 Killed", Code::ReaderKilled),
        ("Killed                  uiautomator dump", Code::ReaderKilled),
        (
            "java.lang.NullPointerException: Attempt to invoke virtual method on a null object reference\n\tat com.android.uiautomator.core.AccessibilityNodeInfoDumper.childNafCheck",
            Code::ReaderKilled,
        ),
        ("Segmentation fault", Code::ReaderKilled),
        ("java.io.FileNotFoundException: /sdcard/x.xml: open failed: EACCES (Permission denied)", Code::TreeInvalid),
        ("cat: /data/local/tmp/x.xml: No such file or directory", Code::TreeInvalid),
        ("ERROR: something nobody has seen", Code::TreeInvalid),
        ("/system/bin/sh: uiautomator: inaccessible or not found", Code::Unsupported),
    ] {
        assert_eq!(classify_dump_error(output).map(|failure| failure.code), Some(code), "{output}");
    }
}

#[test]
fn status_lines_and_warnings_are_no_errors() {
    for output in
        ["", "UI hierchary dumped to: /sdcard/window_dump.xml", "WARNING: linker: text relocations", "Skilled workers"]
    {
        assert_eq!(classify_dump_error(output), None, "{output}");
    }
}

#[test]
fn captured_outputs_are_typed() {
    for (file, code) in [
        ("glass_dumped_hierchary.txt", None),
        ("glass_idle_state.txt", Some(Code::NotIdle)),
        ("sharpadb_MIUI_theme_FileNotFoundException_only.txt", None),
        ("uiautomator2_already_registered_trace.txt", Some(Code::SlotBusy)),
    ] {
        let output = capture_text(&format!("commands/uiautomator_dump/{file}"));
        assert_eq!(classify_dump_error(&output).map(|failure| failure.code), code, "{file}");
    }
}
