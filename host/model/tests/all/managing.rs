//! What installs and other management print, read for what it means.

use handset_model::Code;
use handset_model::android::{
    InstallEnd, Managing, REASONS, classify_managing, parse_console, parse_install, parse_users, remedy_of,
};

use crate::support::capture_text as capture;

fn refused(output: &str) -> handset_model::Failure {
    match parse_install(output) {
        InstallEnd::Refused(failure) => failure,
        other => panic!("{output:?}: {other:?}"),
    }
}

#[test]
fn an_install_succeeds_by_its_word_in_every_form() {
    for output in [
        "Success",
        "Performing Streamed Install\nSuccess\n",
        "Performing Incremental Install\nFailure [INSTALL_FAILED_INTERNAL_ERROR]\nPerforming Streamed Install\nSuccess\n",
        &capture("commands/adb_install/awesome-adb_success_1.0.36_push_percent.txt"),
    ] {
        assert_eq!(parse_install(output), InstallEnd::Installed, "{output}");
    }
}

#[test]
fn words_about_a_success_are_none() {
    for output in ["", "Performing Streamed Install\n", "Success: streamed 12 bytes\n", "no Success", "Killed\n"] {
        assert_eq!(parse_install(output), InstallEnd::Unseen, "{output}");
    }
}

#[test]
fn every_reason_of_androids_has_its_own_remedy_in_every_form_it_is_printed() {
    assert!(REASONS.is_sorted() && REASONS.len() >= 60, "{}", REASONS.len());
    for (reason, remedy) in REASONS {
        for output in [
            format!("Failure [{reason}]"),
            format!("\tpkg: /data/local/tmp/a.apk\nFailure [{reason}]\n"),
            format!(
                "Performing Streamed Install\nadb: failed to install /x/a b.apk: Failure [{reason}: its words [1]]\n"
            ),
            format!("adb: failed to finalize session\nFailure [{reason}: its words]\n"),
        ] {
            let failure = refused(&output);
            assert_eq!((failure.code, failure.remedy.as_deref()), (Code::ActionRejected, Some(*remedy)), "{output}");
            assert!(failure.message.contains(reason), "{failure}");
        }
    }
    let mut remedies: Vec<&str> = REASONS.iter().map(|(_, remedy)| *remedy).collect();
    remedies.sort_unstable();
    remedies.dedup();
    assert_eq!(remedies.len(), REASONS.len(), "each is its own");
}

#[test]
fn real_refusals_are_read() {
    for (file, reason) in [
        ("adbutils_ALREADY_EXISTS_reinstall.txt", "INSTALL_FAILED_ALREADY_EXISTS"),
        ("mobile-debug_TEST_ONLY_streamed.txt", "INSTALL_FAILED_TEST_ONLY"),
        ("trailblaze_UPDATE_INCOMPATIBLE_named_package.txt", "INSTALL_FAILED_UPDATE_INCOMPATIBLE"),
    ] {
        let failure = refused(&capture(&format!("commands/adb_install/{file}")));
        assert_eq!(failure.remedy.as_deref(), remedy_of(reason), "{file}");
    }
    for file in ["local29_missing_file.stderr.txt", "local29_not_apk.stderr.txt"] {
        let failure = refused(&capture(&format!("commands/adb_install/{file}")));
        assert!(failure.message.starts_with("adb did not send it"), "{failure}");
    }
}

#[test]
fn reasons_nobody_knows_are_still_refusals() {
    for output in ["Failure", "Failure [-99]", "Failure [INSTALL_FAILED_OF_TOMORROW: x]", "Failure [null]"] {
        assert_eq!(refused(output).code, Code::ActionRejected, "{output}");
    }
    assert!(refused("cmd: Can't find service: package").remedy.unwrap().contains("still starting"));
}

#[test]
fn a_reset_succeeds_by_its_word_and_others_by_silence() {
    let crlf = capture("commands/pm_clear/adbkit_success_CRLF.txt");
    assert_eq!(classify_managing(Managing::Reset, &crlf, 0), None);
    for output in ["", "Failed\n", "done"] {
        assert!(classify_managing(Managing::Reset, output, 0).is_some(), "{output}");
    }
    assert_eq!(classify_managing(Managing::Permission, "", 0), None);
    assert_eq!(classify_managing(Managing::Terminate, "WARNING: linker: am has text relocations\n", 0), None);
    assert!(classify_managing(Managing::Terminate, "", 1).is_some());
}

#[test]
fn a_refused_permission_is_told_from_one_that_broke() {
    let real = capture("commands/pm_grant/catapult_not_changeable_permission.txt");
    // Android 6 exits with 0 or 1 after it.
    for status in [0, 1] {
        let refusal = classify_managing(Managing::Permission, &real, status).unwrap();
        assert!(refusal.nothing_done && refusal.failure.remedy.unwrap().contains("runtime"));
    }
    let broken =
        "\nException occurred while executing 'grant':\njava.lang.NullPointerException: x\n\tat a.B.c(D.java:1)\n";
    assert!(!classify_managing(Managing::Permission, broken, 255).unwrap().nothing_done);
    let missing =
        classify_managing(Managing::Permission, "/system/bin/sh: pm: inaccessible or not found\n", 127).unwrap();
    assert_eq!((missing.failure.code, missing.nothing_done), (Code::Unsupported, true));
}

#[test]
fn the_emulators_console_says_ok_or_why_not() {
    assert_eq!(parse_console("OK\r\n"), Ok(()));
    assert_eq!(parse_console("OK: killing emulator, bye bye\r\n"), Ok(()));
    assert!(parse_console("KO: Invalid latitude\r\n").unwrap_err().nothing_done);
    assert!(!parse_console("").unwrap_err().nothing_done);
}

#[test]
fn users_are_listed_whatever_their_names() {
    let real = parse_users(&capture("commands/pm_list_users/catapult_users_with_guest.txt"));
    let told: Vec<(u32, &str, bool)> = real.iter().map(|user| (user.id, user.name.as_str(), user.running)).collect();
    assert_eq!(told, [(0, "Driver", true), (10, "aa:bb", false), (11, "Driver", true), (14, "guest3", false)]);
    let crlf = parse_users(&capture("commands/pm_list_users/tradefed_pm_list_users_running.txt"));
    assert_eq!((crlf.len(), crlf[0].running), (1, true));
}
