//! Logs of every format, and what crashed in them.

use handset_model::logs::{
    CrashKind, Level, LogFormat, Logcat, NetworkRequest, TimeBase, crashes_in_text, network_error, network_requests,
    parse_log_time, parse_logcat,
};

use crate::support::capture_text;

fn log(text: &str) -> Logcat {
    parse_logcat(text).unwrap()
}

#[test]
fn captured_logs_have_their_formats_entries_and_crashes() {
    use CrashKind::{Anr, Java, Native};
    use LogFormat::{Brief, Long, Process, Raw, Studio, Tag, Thread, Threadtime, Time};
    let table: &[(&str, Option<LogFormat>, usize, &[CrashKind])] = &[
        ("logcat/SwiftPan_tombstone_excerpt.txt", None, 0, &[Native]),
        ("logcat/andlogview_emulator_api31_long.txt", Some(Long), 46, &[]),
        ("logcat/andlogview_emulator_cupcake_android_studio.txt", Some(Studio), 29, &[]),
        ("logcat/andlogview_format-brief.txt", Some(Brief), 3, &[]),
        ("logcat/andlogview_format-long.txt", Some(Long), 3, &[]),
        ("logcat/andlogview_format-process.txt", Some(Process), 3, &[]),
        ("logcat/andlogview_format-raw.txt", Some(Raw), 3, &[]),
        ("logcat/andlogview_format-tag.txt", Some(Tag), 3, &[]),
        ("logcat/andlogview_format-thread.txt", Some(Thread), 3, &[]),
        ("logcat/andlogview_galaxy_nexus_jbmr2_brief.txt", Some(Brief), 9, &[]),
        ("logcat/andlogview_galaxy_nexus_jbmr2_threadtime.txt", Some(Threadtime), 9, &[]),
        ("logcat/andlogview_galaxy_nexus_jbmr2_time.txt", Some(Time), 9, &[]),
        ("logcat/sentry_anr_thread_dump_bad_data.txt", None, 0, &[Anr]),
        ("logcat/termux-flutter-ide_crash_log.txt", Some(Threadtime), 13, &[]),
        ("commands/logcat/adam_threadtime_with_uid_column.txt", Some(Threadtime), 51, &[]),
        ("commands/logcat/andlogview_api27_chatty_lines.txt", Some(Threadtime), 40, &[]),
        ("commands/logcat/andlogview_api27_threadtime_relaunch_Displayed.txt", Some(Threadtime), 173, &[]),
        ("commands/logcat/andlogview_nougat_events_buffer.txt", Some(Threadtime), 51, &[]),
        ("commands/logcat/aosp_fatal_exception.txt", Some(Threadtime), 11, &[Java]),
        ("commands/logcat/aosp_java_crash_parse_caused_by.txt", None, 0, &[Java]),
        ("commands/logcat/aosp_java_crash_parse_cutoff.txt", None, 0, &[Java]),
        ("commands/logcat/aosp_java_crash_parse_message.txt", None, 0, &[Java]),
        ("commands/logcat/aosp_parse_java_crash_pid.txt", Some(Threadtime), 6, &[Java]),
        (
            "commands/logcat/aosp_parse_multiple_events.txt",
            Some(Threadtime),
            24,
            &[Java, Java, Anr, Anr, Native, Native],
        ),
        ("commands/logcat/aosp_parse_native_crash_same_pid.txt", Some(Threadtime), 8, &[Native, Native]),
        ("commands/logcat/aosp_parse_preambles_2.txt", Some(Threadtime), 8, &[]),
        ("commands/logcat/aosp_parse_reboot_resume.txt", Some(Threadtime), 9, &[Java, Java]),
        ("commands/logcat/gapid_logcat_long.txt", Some(Long), 6, &[]),
        ("commands/am_anr_events/andlogview_api27_ANR_in_block_only.txt", Some(Threadtime), 65, &[Anr]),
        ("commands/am_anr_events/sac_ANR_in_logcat_cpu_usage.txt", Some(Threadtime), 13, &[Anr, Anr]),
        ("commands/am_anr_events/sac_anr_full_block_magazines.txt", Some(Threadtime), 30, &[Anr]),
        ("commands/anr_trace/aosp_traces_parser_1.txt", None, 0, &[Anr]),
        ("commands/anr_trace/sac_vm_traces_at_last_anr.txt", None, 0, &[Anr]),
    ];
    for (file, format, entries, crashes) in table {
        let found = log(&capture_text(file));
        let kinds: Vec<CrashKind> = found.crashes.iter().map(|crash| crash.kind).collect();
        assert_eq!((found.format, found.entries.len(), kinds.as_slice()), (*format, *entries, *crashes), "{file}");
    }
}

#[test]
fn one_line_reads_the_same_in_every_format() {
    // As system/logging/liblog/logprint.cpp writes them, with each modifier that changes a column.
    for (format, line) in [
        (LogFormat::Threadtime, "06-05 06:14:51.709  1712  1730 E Tag/a   : say: it"),
        (LogFormat::Threadtime, "2024-06-05 06:14:51.709123  1712  1730 E Tag/a   : say: it"),
        (LogFormat::Threadtime, "06-05 06:14:51.709 +0200  1712  1730 E Tag/a   : say: it"),
        (LogFormat::Threadtime, "06-05 06:14:51.709  root  1712  1730 E Tag/a   : say: it"),
        (LogFormat::Threadtime, "06-05 06:14:51.709 10254  1712  1730 E Tag/a   : say: it"),
        (LogFormat::Threadtime, "         1700000000.123  1712  1730 E Tag/a   : say: it"),
        (LogFormat::Threadtime, "         1700000000.123 u0_a10  1712  1730 E Tag/a   : say: it"),
        (LogFormat::Threadtime, "  1234.567  1712  1730 E Tag/a   : say: it"),
        (LogFormat::Threadtime, "\u{1b}[38;5;196m06-05 06:14:51.709  1712  1730 E Tag/a   : say: it\u{1b}[0m"),
        (LogFormat::Time, "06-05 06:14:51.709 E/Tag/a   ( 1712): say: it"),
        (LogFormat::Time, "06-05 06:14:51.709 E/Tag/a   (10254: 1712): say: it"),
        (LogFormat::Brief, "E/Tag/a   ( 1712): say: it"),
        (LogFormat::Process, "E( 1712) say: it  (Tag/a)"),
        (LogFormat::Thread, "E( 1712: 1730) say: it"),
        (LogFormat::Tag, "E/Tag.a   : say: it"),
        (LogFormat::Long, "[ 06-05 06:14:51.709  1712: 1730 E/Tag/a    ]\nsay: it\n"),
        (LogFormat::Long, "[ 06-05 06:14:51.709 10254: 1712: 1730 E/Tag/a    ]\nsay: it\n"),
        (LogFormat::Studio, "2024-06-05 06:14:51.709 1712-1730/com.app E/Tag/a: say: it"),
        (
            LogFormat::Studio,
            "2024-06-05 06:14:51.709  1712-1730  Tag/a                   com.app                   E  say: it",
        ),
    ] {
        let found = log(&format!("--------- beginning of main\r\n{}\r\n", line.replace('\n', "\r\n")));
        let entry = &found.entries[0];
        assert_eq!(found.format, Some(format), "{line}");
        assert_eq!((entry.message.as_str(), entry.level), ("say: it", Some(Level::Error)), "{line}");
        assert!(
            entry.pid.is_none_or(|pid| pid == 1712) && entry.tid.is_none_or(|tid| tid == 1730),
            "{line}: {entry:?}"
        );
        assert!(entry.tag.as_deref().is_none_or(|tag| tag.replace('.', "/") == "Tag/a"), "{line}: {entry:?}");
        assert_eq!(entry.buffer.as_deref(), Some("main"), "{line}");
    }
}

#[test]
fn a_message_of_several_lines_stays_one_where_the_format_keeps_it() {
    let found =
        log("[ 06-05 06:14:51.709     1:    1 I/a ]\none\n\n two\n\n[ 06-05 06:14:51.709     1:    1 I/b ]\nthree\n\n");
    let messages: Vec<&str> = found.entries.iter().map(|entry| entry.message.as_str()).collect();
    assert_eq!(messages, ["one\n\n two", "three"]);
}

#[test]
fn lines_the_daemon_left_out_are_counted() {
    let found = log(&capture_text("commands/logcat/andlogview_api27_chatty_lines.txt"));
    let counted: Vec<u32> = found.entries.iter().filter_map(|entry| entry.identical).collect();
    assert_eq!((counted.len(), counted[..3].to_vec()), (40, vec![1, 2, 12]));
}

#[test]
fn a_time_is_a_date_only_where_year_and_zone_are_known() {
    let iso = |text: &str, base: TimeBase| parse_log_time(text).unwrap().0.iso(&base);
    let none = TimeBase::default();
    let device = TimeBase { now: Some((2025, 1)), zone: Some(330) };
    let utc = |text: &str| Some(text.to_owned());
    assert_eq!(iso("06-05 06:14:51.709", none), None);
    assert_eq!(iso("2024-06-05 06:14:51.709", none), utc("2024-06-05T06:14:51.709"), "no zone, so none is claimed");
    assert_eq!(iso("2024-06-05 06:14:51.709 +0200", none), utc("2024-06-05T04:14:51.709Z"));
    assert_eq!(iso("1700000000.123", none), utc("2023-11-14T22:13:20.123Z"));
    assert_eq!(iso("1234.5", device), None, "since boot is no time of day");
    assert_eq!(iso("01-02 05:30:00.000", device), utc("2025-01-02T00:00:00.000Z"));
    assert_eq!(
        iso("12-31 23:59:59.999", device),
        utc("2024-12-31T18:29:59.999Z"),
        "December is last year's in January"
    );
}

#[test]
fn a_crash_names_its_process_cause_chain_and_first_frame_of_the_app() {
    let text = "\
06-05 06:14:51.709  99  99 E AndroidRuntime: FATAL EXCEPTION: main
06-05 06:14:51.709  99  99 E AndroidRuntime: Process: com.acme.shop:bg, PID: 99
06-05 06:14:51.709  99  99 E AndroidRuntime: java.lang.RuntimeException: Unable to start activity
06-05 06:14:51.709  99  99 E AndroidRuntime: \tat android.app.ActivityThread.performLaunchActivity(ActivityThread.java:3449)
06-05 06:14:51.709  77  77 I other   : between
06-05 06:14:51.709  99  99 E AndroidRuntime: Caused by: java.lang.NullPointerException: x is null
06-05 06:14:51.709  99  99 E AndroidRuntime: \tat io.lib.Thing.go(Thing.kt:1)
06-05 06:14:51.709  99  99 E AndroidRuntime: \tat com.acme.shop.Main.onCreate(Main.kt:12)
06-05 06:14:51.709  99  99 E AndroidRuntime: \t... 12 more
";
    let found = log(text);
    let crash = &found.crashes[0];
    assert_eq!(
        (crash.process.as_deref(), crash.pid, crash.thread.as_deref()),
        (Some("com.acme.shop:bg"), Some(99), Some("main"))
    );
    assert_eq!(crash.app_frame(), Some("com.acme.shop.Main.onCreate(Main.kt:12)"));
    let shown = crash.to_json(&found.entries, &TimeBase::default());
    assert_eq!(shown["exception"], "java.lang.RuntimeException");
    assert_eq!(shown["caused_by"][0]["message"], "x is null");
}

#[test]
fn a_native_crash_is_told_once_though_two_say_it() {
    let text = "\
06-05 06:14:51.709  99  99 F libc    : Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0 in tid 99 (main), pid 99 (com.acme.shop)
06-05 06:14:51.709 120 120 F DEBUG   : *** *** *** *** *** ***
06-05 06:14:51.709 120 120 F DEBUG   : pid: 99, tid: 99, name: main  >>> com.acme.shop <<<
06-05 06:14:51.709 120 120 F DEBUG   : signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0
06-05 06:14:51.709 120 120 F DEBUG   : Abort message: 'why'
06-05 06:14:51.709 120 120 F DEBUG   :       #00 pc 01  /system/lib64/libc.so (abort+1)
06-05 06:14:51.709 120 120 F DEBUG   :       #01 pc 02  /data/app/x/lib/libshop.so (go+2)
";
    let found = log(text);
    assert_eq!(found.crashes.len(), 1, "{:#?}", found.crashes);
    let crash = &found.crashes[0];
    assert_eq!((crash.kind, crash.reason.as_deref()), (CrashKind::Native, Some("why")));
    assert!(crash.app_frame().unwrap().contains("libshop.so"));
}

#[test]
fn an_anr_names_component_and_reason() {
    let found = log(&capture_text("commands/am_anr_events/andlogview_api27_ANR_in_block_only.txt"));
    let anr = &found.crashes[0];
    assert_eq!((anr.process.as_deref(), anr.pid), (Some("name.mlopatkin.shuttle"), Some(18535)));
    assert_eq!(anr.activity.as_deref(), Some("name.mlopatkin.shuttle/.NewMainActivity"));
    assert!(anr.reason.as_deref().unwrap().starts_with("Input dispatching timed out"));
}

#[test]
fn a_dart_exception_is_placed_in_the_apps_package() {
    let text = "\
E/flutter ( 9): [ERROR:flutter/runtime/dart_vm_initializer.cc(41)] Unhandled Exception: Bad state: no
E/flutter ( 9): #0      List.add (dart:core-patch/growable_array.dart:1:2)
E/flutter ( 9): #1      main (package:shop/main.dart:5:3)
";
    let crash = &log(text).crashes[0];
    assert_eq!((crash.kind, crash.app_frame()), (CrashKind::Dart, Some("package:shop/main.dart:5:3 main")));
}

#[test]
fn somebodys_message_about_an_exception_is_no_crash() {
    for text in [
        "I/a( 1): java.lang.Exception: handled\nI/a( 1): \tat b.c(D.java:1)\n",
        "W/System.err( 1): java.io.IOException: x\n",
    ] {
        assert!(log(text).crashes.is_empty(), "{text}");
    }
    assert!(crashes_in_text("java.lang.Exception: without one frame\n").is_empty());
}

#[test]
fn what_is_no_log_is_a_typed_failure() {
    for (text, code) in [
        ("", "LOGS_UNAVAILABLE"),
        ("[ro.product.model]: [Pixel]\n", "LOGS_UNAVAILABLE"),
        ("List of devices attached\nemulator-5554\tdevice\n", "LOGS_UNAVAILABLE"),
        ("{\"a\": 1}", "LOGS_UNAVAILABLE"),
        ("error: device offline\n", "DEVICE_OFFLINE"),
    ] {
        assert_eq!(parse_logcat(text).unwrap_err().code.as_str(), code, "{text}");
    }
    assert!(log("--------- beginning of main\n").entries.is_empty(), "an empty ring is a log");
}

fn requests(text: &str) -> Vec<NetworkRequest> {
    network_requests(&log(text).entries)
}

/// Endpoint, method, status code, error, status, duration.
fn outcome(request: &NetworkRequest) -> String {
    let NetworkRequest { endpoint, method, status_code, network_error, duration_ms, .. } = request;
    let method = method.as_deref().unwrap_or("-");
    let code = status_code.map_or_else(|| network_error.unwrap_or("-").to_owned(), |code| code.to_string());
    let took = duration_ms.map_or_else(|| "-".to_owned(), |ms| ms.to_string());
    format!("{endpoint} {method} {code} {} {took}", request.status())
}

#[test]
fn requests_of_each_http_client_are_read_without_query_or_body() {
    let found = requests(
        "\
D/OkHttp  ( 9): --> POST https://me:pw@api.acme.com/login?token=secret h2 (34-byte body)
D/OkHttp  ( 9): {\"password\":\"https://x.y/ GET 200\"}
D/OkHttp  ( 9): --> END POST (34-byte body)
D/OkHttp  ( 9): <-- 200 https://me:pw@api.acme.com/login?token=secret (123ms, 45-byte body)
I/okhttp.OkHttpClient( 9): --> GET https://api.acme.com/cart http/1.1
I/okhttp.OkHttpClient( 9): <-- HTTP FAILED: java.net.SocketTimeoutException: timeout
D/Volley  ( 9): [61] BasicNetwork.logSlowRequests: HTTP response for request=<[ ] https://api.acme.com/slow 0xd41c847e NORMAL 1> [lifetime=3005], [size=2], [rc=503], [retryCount=0]
E/Volley  ( 9): [61] BasicNetwork.performRequest: Unexpected response code 404 for https://api.acme.com/gone
I/flutter ( 9): uri: https://api.acme.com/items
I/flutter ( 9): method: GET
I/flutter ( 9): statusCode: 401
I/ReactNativeJS( 9): GET https://api.acme.com/me 204 12 ms
",
    );
    let shown: Vec<String> = found.iter().map(outcome).collect();
    assert_eq!(
        shown,
        [
            "https://api.acme.com/login?redacted POST 200 success 123",
            "https://api.acme.com/cart GET timeout retryable -",
            "https://api.acme.com/slow - 503 retryable 3005",
            "https://api.acme.com/gone - 404 failure -",
            "https://api.acme.com/items GET 401 failure -",
            "https://api.acme.com/me GET 204 success 12",
        ]
    );
}

#[test]
fn why_there_was_no_answer_has_the_contracts_name() {
    for (words, name) in [
        ("java.net.UnknownHostException: Unable to resolve host \"x\"", "dns_error"),
        ("javax.net.ssl.SSLHandshakeException: Trust anchor for certification path not found", "tls_error"),
        ("java.net.SocketTimeoutException: timeout", "timeout"),
        ("java.net.ConnectException: Failed to connect to /10.0.2.2:80", "connection_refused"),
        ("java.net.SocketException: Connection reset", "connection_reset"),
        ("net::ERR_NAME_NOT_RESOLVED", "dns_error"),
        ("java.io.IOException: what", "unknown_network_error"),
    ] {
        assert_eq!(network_error(words), name, "{words}");
    }
}

#[test]
fn a_request_under_way_is_none_that_ended() {
    let found = requests("D/OkHttp  ( 9): --> GET http://a.b/c http/1.1\n");
    assert_eq!((found.len(), found[0].done), (1, false));
    assert!(requests("I/a( 9): opened https://a.b/c in the browser\nI/a( 9): 200\n").is_empty());
}
