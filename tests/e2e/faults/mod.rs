//! What goes wrong on a device or in adb, times every tool that observes or acts.
//!
//! Two tables: the faults below, and the tools in [`tools`]. What a cell must come to follows from the two
//! ([`expect`]); what follows no rule stands in a fault's `exceptions`, with the reason. Each cell has a phone of its
//! own and is checked for the code with its remedy, for what was sent (the phone's journal is the witness), for
//! children left here, for the lane (closed as long as something of ours runs on the device, and no longer), and for
//! the next request, which is served.

mod cell;
mod expect;
mod foreign;
mod processes;
mod scripts;
mod stage;
mod tools;

use std::time::Duration;

use futures::future::join_all;
use serde_json::json;
use simphone::{Fault, FaultKind};

use crate::support::{Bench, Flavor, wait_until};
use cell::Cell;
use expect::Outcome;
use scripts::{Accident, Lane, Read, Script, Sent, Strike, borne, refusing, unreachable, unreadable};
use stage::Stage;
use tools::{APART, ELSEWHERE, MORE, ROWS, Row};

/// One test per fault and adb.
macro_rules! faults {
    ($($(#[doc = $doc:literal])* $name:ident [$($adb:ident)*] $script:expr;)*) => {
        $(
            $(#[doc = $doc])*
            mod $name {
                use super::*;

                $(faults!(@test $adb $name $script);)*
            }
        )*

        /// Every script with its name.
        fn scripts() -> Vec<(&'static str, Script)> {
            vec![$((stringify!($name), $script)),*]
        }
    };
    (@test real_adb $name:ident $script:expr) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn real_adb() {
            if Flavor::Real.there() {
                strike_all(Flavor::Real, stringify!($name), $script).await;
            }
        }
    };
    (@test one_by_one $name:ident $script:expr) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn real_adb() {
            if Flavor::Real.there() {
                strike_each($script).await;
            }
        }
    };
    (@test stand_in $name:ident $script:expr) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn stand_in() {
            strike_all(Flavor::StandIn, stringify!($name), $script).await;
        }
    };
}

/// All tools at once, each on a phone of its own.
async fn strike_all(flavor: Flavor, name: &str, script: Script) {
    let rows: Vec<&Row> = ROWS.iter().chain(MORE.iter().filter(|_| FEW.contains(&name))).collect();
    let stage = Stage::new(flavor, rows.len()).await;
    let cells = rows.into_iter().enumerate().map(async |(number, row)| {
        let cell = Cell { stage: &stage, number, row, script: &script };
        named(row, cell.run().await)
    });
    let all = tokio::time::timeout(PATIENCE, join_all(cells)).await.expect("all cells end");
    judge(&stage, &script, all.concat()).await;
}

/// One tool after the other, for what strikes adb once.
async fn strike_each(script: Script) {
    let stage = Stage::new(Flavor::Real, 1).await;
    let mut wrong = Vec::new();
    for row in &ROWS {
        let cell = Cell { stage: &stage, number: 0, row, script: &script };
        wrong.extend(named(row, tokio::time::timeout(PATIENCE, cell.run()).await.expect("the cell ends")));
    }
    judge(&stage, &script, wrong).await;
}

/// The faults that also strike the tools of [`MORE`]: one of each kind.
const FEW: [&str; 6] =
    ["hang", "offline", "gone_mid_command", "gone_mid_input", "replugged_mid_command", "input_that_hangs"];

/// No run of a fault's cells takes so long.
const PATIENCE: Duration = Duration::from_secs(110);

fn named(row: &Row, wrong: Vec<String>) -> Vec<String> {
    wrong.into_iter().map(|what| format!("{}: {what}", row.label())).collect()
}

async fn judge(stage: &Stage, script: &Script, wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{:?}\n{}", script.strike, wrong.join("\n"));
    stage.nothing_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_is_in_the_table() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    for tool in bench.client.tools().await {
        let name = tool["name"].as_str().unwrap();
        let here = ROWS.iter().chain(MORE).any(|row| row.tool == name) || APART.contains(&name);
        assert!(here != ELSEWHERE.contains(&name), "{name} joins the table of tools, or those that touch no device");
    }
}

#[test]
fn every_exception_names_a_cell_and_is_one() {
    let scripts = scripts();
    assert!(scripts.len() >= 24, "{}", scripts.len());
    for (name, script) in scripts {
        for (label, outcome, why) in script.exceptions {
            let row = ROWS
                .iter()
                .chain(MORE)
                .find(|row| row.label() == *label && expect::excepted(&script, row) == Some(*outcome));
            let row = row.unwrap_or_else(|| panic!("{name}: there is no {label}"));
            let ruled = Script { exceptions: &[], ..script.clone() };
            assert_ne!(expect::expected(&ruled, row).outcome, *outcome, "{name}, {label}: no exception ({why})");
        }
    }
}

/// The witness of what is left here sees a call's child as long as there is one.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_runs_here_is_seen() {
    let stage = Stage::new(Flavor::StandIn, 1).await;
    stage.seen(0).await;
    assert_eq!(stage.left_here(0), Vec::<Vec<String>>::new());
    stage.phone(0).fault(Fault::once("dump", FaultKind::Hang));
    let wait = json!({ "selector": { "text": "a" }, "timeout_ms": 2_500 });
    let pending = stage.bench.client.begin("wait_for_ui", wait).await;
    wait_until("the dump runs", || stage::running(stage.phone(0), "uiautomator").is_some()).await;
    assert_eq!(stage.left_here(0).len(), 1);
    assert_eq!(pending.answer().await.code(), "TIMEOUT");
    assert_eq!(stage.left_here(0), Vec::<Vec<String>>::new());
}

/// What hangs for good keeps the lane as long as a dump may take, and no longer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dump_that_never_ends_keeps_the_lane_for_twelve_seconds() {
    let bench = Bench::new("login", Flavor::StandIn).await;
    bench.call("get_ui_tree", json!({})).await.fine();
    let mark = bench.mark();
    bench.phone().fault(Fault::once("dump", FaultKind::Hang));
    let wait = |ms: u32| json!({ "selector": { "text": "Sign in" }, "timeout_ms": ms, "poll_interval_ms": 200 });
    assert_eq!(bench.call("wait_for_ui", wait(1_500)).await.code(), "TIMEOUT");
    let short = bench.call("wait_for_ui", wait(1_500)).await;
    assert!(short["/error/message"].as_str().unwrap().contains("may still be running"), "{:#}", short.structured);
    let long = bench.call("wait_for_ui", wait(14_000)).await;
    assert_eq!(long.code(), "SLOT_BUSY", "the slot itself is still taken: {:#}", long.structured);
    let dumps = mark.dumps();
    let gap = dumps[1].start_ms - dumps[0].start_ms;
    assert!((11_000.0..14_000.0).contains(&gap), "{gap} ms: {dumps:#?}");
    assert!(bench.phone().kill(dumps[0].pid));
    bench.call("get_ui_tree", json!({})).await.fine();
}

fn error_text(text: &str) -> FaultKind {
    FaultKind::ErrorText { text: text.to_owned(), stderr: true, status: 0 }
}

fn dumps(kind: FaultKind) -> Strike {
    Strike::Dumps(kind)
}

faults! {
    // A dump that ends badly, or not at all.

    hang [real_adb stand_in] Script { lane: Lane::Kept, ..unreadable(dumps(FaultKind::Hang), "TIMEOUT", "") };
    exit_0_with_an_error_text [real_adb] Script {
        passes: true, ..unreadable(dumps(error_text("ERROR: nobody listed this")), "TREE_INVALID", "nobody listed this")
    };
    null_root [real_adb] Script { passes: true, ..unreadable(dumps(FaultKind::NullRoot), "NULL_ROOT", "null root") };
    never_idle [real_adb] unreadable(dumps(FaultKind::NeverIdle), "NOT_IDLE", "idle");
    never_idle_once [real_adb] Script {
        exceptions: &[
            ("guarded tap", OTHERWISE, COMPRESSED),
            ("guarded swipe", OTHERWISE, COMPRESSED),
            ("guarded type_text", OTHERWISE, COMPRESSED),
            ("guarded press_back", OTHERWISE, COMPRESSED),
        ],
        ..borne(Strike::FirstDump(FaultKind::NeverIdle))
    };
    killed [real_adb] Script { passes: true, ..unreadable(dumps(FaultKind::Killed), "READER_KILLED", "Killed") };
    npe_mid_walk [real_adb] Script {
        passes: true, ..unreadable(dumps(FaultKind::NpeMidWalk), "READER_KILLED", "NullPointerException")
    };

    // A file that is no tree, or not only one, or does not come.

    cut_output [real_adb] Script {
        passes: true, ..unreadable(dumps(FaultKind::CutOutput { bytes: 700 }), "TREE_TRUNCATED", "not closed")
    };
    status_line_before [real_adb] borne(dumps(FaultKind::StatusBefore));
    status_line_after [real_adb] borne(dumps(FaultKind::StatusAfter));
    status_line_inside [real_adb] borne(dumps(FaultKind::StatusInside));
    garbage [real_adb] Script {
        passes: true, ..unreadable(dumps(FaultKind::Garbage { bytes: 512 }), "TREE_INVALID", "no hierarchy")
    };
    utf_16 [real_adb] borne(dumps(FaultKind::Utf16));
    stale_file [real_adb] Script {
        passes: true, ..unreadable(dumps(FaultKind::StaleFile), "TREE_INVALID", "No dump was written")
    };
    disk_full [real_adb] Script {
        passes: true, ..unreadable(dumps(FaultKind::DiskFull), "TREE_INVALID", "storage is full")
    };
    hang_of_the_retrieval [real_adb] unreadable(Strike::Retrievals(FaultKind::Hang), "TIMEOUT", "");
    hang_of_the_services [real_adb] Script {
        exceptions: &[("get_current_screen", Outcome::Refused("TIMEOUT"), "it has nothing else to answer with")],
        remedy: "Try again in a moment",
        ..borne(Strike::Services(FaultKind::Hang))
    };
    slow_trickle [real_adb] borne(Strike::Retrievals(FaultKind::SlowTrickle { bytes: 1_000, ms: 50 }));
    huge_tree [real_adb] borne(Strike::Now(FaultKind::HugeTree { nodes: 5_000 }));

    // A slot that is taken.

    slot_busy_by_our_own_earlier_dump [real_adb stand_in] borne(Strike::OurDump(2_500));
    slot_busy_by_another_client [real_adb] unreadable(
        Strike::Now(FaultKind::SlotBusy { ms: 600_000 }), "SLOT_BUSY", "UiAutomation",
    );

    // A device that is not there, or not as it was.

    offline [real_adb stand_in] unreachable(
        Strike::Now(FaultKind::Offline { ms: None }), "DEVICE_OFFLINE", "offline", "Reconnect the cable",
    );
    unauthorized [real_adb stand_in] unreachable(
        Strike::Now(FaultKind::Unauthorized), "DEVICE_OFFLINE", "unauthorized", "accept its USB debugging dialog",
    );
    gone_mid_command [real_adb stand_in] Script {
        lane: Lane::Brief,
        ..unreadable(Strike::Looks(FaultKind::GoneMidCommand { after_ms: 300 }), "DEVICE_OFFLINE", "")
    };
    gone_mid_input [real_adb stand_in] Script {
        lane: Lane::Brief,
        exceptions: &[("install_app", Outcome::Fine, "its success was said before the line was lost")],
        ..refusing(FaultKind::GoneMidCommand { after_ms: 300 }, Sent { touched: 1, ..LOST })
    };
    replugged [real_adb stand_in] Script {
        exceptions: &[
            ("guarded tap", NO_BASELINE, FORGOTTEN),
            ("guarded swipe", NO_BASELINE, FORGOTTEN),
            ("guarded type_text", NO_BASELINE, FORGOTTEN),
            ("guarded press_back", NO_BASELINE, FORGOTTEN),
        ],
        ..borne(Strike::Before(Accident::Replug))
    };
    replugged_mid_command [real_adb stand_in] Script {
        lane: Lane::Brief,
        sent: Some(LOST),
        ..unreadable(Strike::InFlight(Accident::Replug), "DEVICE_OFFLINE", "")
    };

    // adb itself.

    server_killed [real_adb] unreachable(
        Strike::Before(Accident::ServerKilled), "DEVICE_NOT_FOUND", "nothing is attached", "Attach or start",
    );
    server_killed_mid_command [real_adb] Script {
        lane: Lane::Brief,
        sent: Some(LOST),
        ..unreadable(Strike::InFlight(Accident::ServerKilled), "DEVICE_OFFLINE", "")
    };
    server_version_clash [real_adb] unreachable(
        Strike::Before(Accident::ServerOfAnotherVersion), "ADB_VERSION_CONFLICT", "version (40)", "Use one adb",
    );
    server_version_clash_that_gives_way [one_by_one] unreachable(
        Strike::Before(Accident::ServerThatGivesWay), "ADB_VERSION_CONFLICT", "version (40)", "Use one adb",
    );

    // A screen that is another one, or none.

    screen_off [real_adb] unreadable(Strike::Now(FaultKind::ScreenOff), "SCREEN_OFF", "display is off");
    locked [real_adb] Script {
        exceptions: &[("swipe", Outcome::Fine, "a swipe takes this keyguard away")],
        ..unreadable(Strike::Now(FaultKind::Locked), "DEVICE_LOCKED", "keyguard")
    };
    secure_window [real_adb] borne(Strike::Now(FaultKind::SecureWindow));
    anr_dialog [real_adb] Script { read: Read::Other, ..borne(Strike::Now(FaultKind::AnrDialog)) };
    app_crash [real_adb] Script {
        read: Read::Other,
        exceptions: &[("wait_for_readiness", Outcome::Fine, "the launcher is as settled as the app was")],
        ..borne(Strike::Now(FaultKind::AppCrash))
    };

    // An input that goes wrong.

    input_that_hangs [real_adb stand_in] Script { lane: Lane::Kept, ..refusing(FaultKind::Hang, CUT_OFF) };
    input_that_is_late [real_adb] Script {
        lane: Lane::Brief, ..refusing(FaultKind::Slow { ms: 4_000 }, Sent { late: 1, ..CUT_OFF })
    };
    input_denied [real_adb] Script {
        exceptions: &[("start_app", Outcome::Fine, "starting an app injects nothing")],
        ..refusing(FaultKind::InputDenied, Sent {
            code: "INPUT_DENIED", delivery: "not_delivered", remedy: "Security settings", ..CUT_OFF
        })
    };
    input_killed [real_adb] refusing(FaultKind::Killed, Sent { code: "ACTION_REJECTED", ..CUT_OFF });
}

const NO_BASELINE: Outcome = Outcome::Blocked("PRECONDITION_UNAVAILABLE", "unavailable", Some("BASELINE_UNAVAILABLE"));
const OTHERWISE: Outcome = Outcome::Blocked("PRECONDITION_FAILED", "mismatch", None);
const COMPRESSED: &str = "the second try is compressed: its tree is not the whole one the caller saw";
const FORGOTTEN: &str = "what was seen in the connection before is forgotten: its baseline guards nothing";
/// An input whose end nobody saw.
const CUT_OFF: Sent = Sent {
    code: "ACTION_TIMEOUT",
    delivery: "unknown",
    retryable: false,
    touched: 0,
    late: 0,
    remedy: "look at the screen before repeating",
};
const LOST: Sent = Sent { code: "DEVICE_OFFLINE", ..CUT_OFF };
