//! Whether an app answers, by the records of the activity manager and the kernel.

use handset_model::android::{parse_process_records, parse_process_states};

use crate::support::capture_text;

#[test]
fn records_of_each_generation_name_who_does_not_answer() {
    let crash = capture_text("commands/dumpsys_activity/quern_processes_crash_dialog_excerpt.txt");
    let records = parse_process_records(&crash);
    let named: Vec<(&str, u32)> = records.iter().map(|record| (record.process.as_str(), record.pid)).collect();
    assert!(named.contains(&("com.google.android.deskclock", 15082)), "{named:?}");
    assert!(named.contains(&("com.android.chrome:privileged_process0", 24744)), "{named:?}");
    assert!(records.iter().all(|record| !record.not_responding), "it crashed: {records:?}");

    let flags = capture_text("commands/dumpsys_activity/tradefed_processes_notResponding_AppNotRespondingDialog.txt");
    assert!(parse_process_records(&flags).is_empty(), "whose they are is not said");
    let owned = format!("  *APP* UID 10150 ProcessRecord{{6c10264 1546:com.app:work/u0a150}}\n    {flags}");
    let records = parse_process_records(&owned);
    assert_eq!(
        (records[0].process.as_str(), records[0].not_responding, records[0].debugging),
        ("com.app:work", true, false)
    );

    let newer = crash.replace("mNotResponding=false", "mNotResponding=true");
    let silent: Vec<String> = parse_process_records(&newer)
        .into_iter()
        .filter(|record| record.not_responding)
        .map(|record| record.process)
        .collect();
    assert_eq!(silent, ["com.google.android.deskclock"]);
}

#[test]
fn the_kernel_says_what_holds_a_process() {
    let status = |state: &str, tracer: u32| format!("State:\t{state}\nPid:\t4242\nTracerPid:\t{tracer}\n");
    let text = [status("S (sleeping)", 0), status("t (tracing stop)", 77), status("T (stopped)", 0)].concat();
    let held: Vec<bool> = parse_process_states(&text).iter().map(|state| state.is_held()).collect();
    assert_eq!(held, [false, true, true]);
    assert!(parse_process_states("State:\t\nTracerPid: x\nPid: 1\n").is_empty());
}
