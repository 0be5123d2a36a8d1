//! The dozen misdeeds that every host of components meets, each in every kind of component. Of each: the fault names the
//! plugin, its function and what it did, in the answer and in `list_plugins`; the call ended at most 50 ms past its bound,
//! as the server itself measured; the server's memory stayed within the plugin's and 8 MiB; the next request is served;
//! stdout is the protocol's (the client checks every line); three faults in a row put the plugin aside.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::bounds::{Resident, overloaded};
use super::hostile::assert_fault;
use super::{Folder, shown};
use crate::support::{Answer, Bench};

/// What a bound may be overrun by, ms.
const PAST: f64 = 50.0;
/// How often a late call is made again: a bound that was kept once is kept.
const TRIES: u32 = 8;
/// What the server may need beside a guest's memory, MiB.
const BESIDE: f64 = 8.0;

/// What comes of a misdeed.
#[derive(Clone, Copy)]
enum Ends {
    /// A fault of this kind whose text holds this.
    Fault(&'static str, &'static str),
    /// It is none: there is an answer.
    Answers,
    /// The guest says that it cannot tell.
    CannotTell,
    /// This kind of component has no such misdeed.
    Absent,
}
use Ends::{Absent, Answers, CannotTell, Fault};

/// One misdeed.
struct Row {
    misdeed: &'static str,
    /// Where it ends, ms.
    bound: f64,
    /// What the plugin may take, MiB.
    memory: u32,
    step: Ends,
    condition: Ends,
    readiness: Ends,
}

/// The same in every kind of component.
const fn row(misdeed: &'static str, bound: f64, ends: Ends) -> Row {
    Row { misdeed, bound, memory: 64, step: ends, condition: ends, readiness: ends }
}

/// The same in both kinds that are pure.
const fn pure(misdeed: &'static str, bound: f64, ends: Ends, step: Ends) -> Row {
    Row { step, ..row(misdeed, bound, ends) }
}

/// With a host call's or silence's bound, most of them end long before it.
const SILENT: f64 = 250.0;
const PURE: f64 = 1_000.0;

macro_rules! dozen {
    ($($name:ident: $row:expr;)*) => {
        $(
            #[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                judge(&$row).await;
            }
        )*
    };
}

dozen! {
    spinning: row("spin", SILENT, Fault("deadline", "250 ms without a host call"));
    recursing: row("recursion", SILENT, Fault("trap", "recursed too deep"));
    growing_its_memory: row("memory", SILENT, Fault("memory", "its limit is 64 MiB"));
    growing_its_table: row("table", SILENT, Fault("memory", "its limit is 64 MiB"));
    returning_a_hundred_megabytes: row("huge-string", SILENT, Fault("memory", "its limit is 64 MiB"));
    passing_a_hundred_megabytes: row("huge-argument", SILENT, Fault("memory", "its limit is 64 MiB"));
    returning_what_fits_its_memory: Row { memory: 256, ..row("huge-string", SILENT, Fault("flood", "1 MiB")) };
    passing_what_fits_its_memory: Row { memory: 256, ..row("huge-argument", SILENT, Fault("flood", "1 MiB")) };
    calling_a_million_times: pure("million-calls", PURE, Fault("flood", "100000 host calls"), Answers);
    flooding_the_log: row("log-flood", PURE, Fault("flood", "10000 log lines"));
    panicking: row("panic", SILENT, Fault("trap", "hostile on purpose"));
    forging_evidence: row("unlent-evidence", SILENT, Fault("bad return", "revision 4294967295"));
    pointing_past_the_last_element: row("bad-evidence", SILENT, Fault("bad return", "element 4294967295"));
    reporting_not_a_number: pure("nan-body", SILENT, Absent, Fault("bad return", "not JSON"));
    looking_for_not_a_number: Row { condition: CannotTell, ..row("nan-selector", SILENT, Absent) };
    printing: row("print", SILENT, Answers);
    printing_for_ever: row("print-flood", SILENT, Fault("deadline", "250 ms without a host call"));
    // Half a second of its own, and the second in which a step may still come back.
    outstaying_its_budget: pure("wait-forever", 1_500.0, Absent, Fault("deadline", "after its time was up"));
}

/// Runs a row; again, with a server of its own, while a call of it has only ever come late.
async fn judge(row: &Row) {
    let mut least = BTreeMap::new();
    for _ in 0..TRIES {
        run(row, &mut least).await;
        if least.values().all(|took| *took <= row.bound + PAST) {
            return;
        }
    }
    assert!(overloaded(), "{} ms of {}: {least:?}", row.misdeed, row.bound);
}

/// Notes the shortest time that each call took.
async fn run(row: &Row, least: &mut BTreeMap<String, f64>) {
    let folder = Folder::new();
    folder.add_dist("hostile", "tests/hostile.wasm");
    let config = format!(
        "[plugins.hostile]\ngrants = [\"observe\"]\nsettings = {{ only = \"{}\" }}\nlimits = {{ memory_mib = {} }}\n",
        row.misdeed, row.memory
    );
    let bench = folder.bench(&config).await;
    let plugin = shown(&bench, "hostile").await;
    assert_eq!(
        (&plugin["state"], &plugin["limits"]["memory_mib"]),
        (&json!("ready"), &json!(row.memory)),
        "{plugin:#}"
    );
    assert_eq!(plugin["folder"], json!(folder.path().join("hostile").display().to_string()));
    // What the server takes once is not the guest's.
    bench.call("wait_for_ui", bench.aimed(json!({ "selector": { "text": "Sign in" } }))).await.fine();
    let pid = bench.client.pid().await;

    let (mut total, mut in_a_row) = (0, 0);
    let kinds = [("step.run", row.step), ("condition.check", row.condition), ("readiness.classify", row.readiness)];
    for (function, ends) in kinds {
        if matches!(ends, Absent) {
            continue;
        }
        let function = format!("{function} {}", row.misdeed);
        let memory = Resident::of(pid);
        let answer = ask(&bench, &function, row).await;
        let message = judged(&answer, &function, ends);
        let grown = memory.grown_mib();
        let plugin = shown(&bench, "hostile").await;
        let faults = &plugin["faults"];
        if let Fault(kind, words) = ends {
            assert_fault(&message, &function, kind, words);
            assert_fault(&faults["last"], &function, kind, words);
            (total, in_a_row) = (total + 1, in_a_row + 1);
            let took = faults["last_took_ms"].as_f64().unwrap();
            eprintln!("{function}: {took} ms of {}, {grown:?} MiB of {}", row.bound, row.memory);
            let least = least.entry(function.clone()).or_insert(took);
            *least = least.min(took);
        } else {
            in_a_row = 0;
        }
        if let Some(grown) = grown {
            assert!(grown <= f64::from(row.memory) + BESIDE, "{function}: {grown} MiB");
        }
        assert_eq!(
            (&faults["total"], &faults["in_a_row"]),
            (&json!(total), &json!(in_a_row)),
            "{function}: {faults:#}"
        );
        let state = if in_a_row < 3 { "ready" } else { "quarantined" };
        assert_eq!(plugin["state"], state, "{function}: {plugin:#}");
    }
    let honest = json!({ "predicate": "element-visible", "args": { "selector": { "text": "Sign in" } } });
    bench.call("tap", tap(&bench, honest)).await.succeeded();
    bench.client.check_stdout();
}

fn tap(bench: &Bench, precondition: Value) -> Value {
    // Where nothing is.
    bench.aimed(json!({ "x": 3, "y": 1_170, "verificationMode": "none", "precondition": precondition }))
}

async fn ask(bench: &Bench, function: &str, row: &Row) -> Answer {
    let name = format!("hostile/{}", row.misdeed);
    match function.split(' ').next() {
        Some("step.run") => {
            let budget = if row.misdeed == "wait-forever" { 500 } else { 30_000 };
            let step = json!({ "id": "it", "type": name, "timeoutMs": budget });
            bench.call("run_journey", json!({ "platform": "android", "steps": [step] })).await.fine()
        }
        Some("condition.check") => bench.call("tap", tap(bench, json!({ "predicate": name }))).await.fine(),
        _ => bench.call("get_readiness", bench.aimed(json!({ "samples": 1 }))).await.fine(),
    }
}

/// Checks how an answer shows what came of the misdeed; the fault's text, null where there is none.
fn judged(answer: &Answer, function: &str, ends: Ends) -> Value {
    let shown = format!("{function}: {:#}", answer.structured);
    let faulty = matches!(ends, Fault(..));
    match answer.tool.as_str() {
        "run_journey" => {
            let result = &answer["/steps/0/result"];
            assert_eq!(result["failure_code"] == "PLUGIN_FAULT", faulty, "{shown}");
            if faulty {
                assert_eq!((&answer["success"], &result["retryable"]), (&json!(false), &json!(false)), "{shown}");
            }
            result["error"]["message"].clone()
        }
        "tap" => {
            let dispatched = matches!(ends, Answers);
            assert_eq!(answer["dispatch_started"], dispatched, "{shown}");
            if !dispatched {
                let reason = if faulty { "PREDICATE_FAULT" } else { "PREDICATE_CANNOT_TELL" };
                assert_eq!(
                    (answer.code(), &answer["/condition/reason"]),
                    ("PRECONDITION_UNAVAILABLE", &json!(reason)),
                    "{shown}"
                );
                assert_eq!(answer["delivery_status"], "not_delivered", "{shown}");
            }
            answer["/checks/0/reason"].clone()
        }
        _ => {
            let name = format!("hostile/{}", function.rsplit(' ').next().unwrap_or_default());
            let voices = answer["/readiness/classifiers"].as_array().unwrap();
            let voice = voices.iter().find(|voice| voice["name"] == name.as_str()).unwrap_or_else(|| panic!("{shown}"));
            assert_eq!(voice["error"]["code"] == "PLUGIN_FAULT", faulty, "{shown}");
            let left_out = json!(format!("classifier_left_out: {name}"));
            assert_eq!(answer["/readiness/limitations"].as_array().unwrap().contains(&left_out), faulty, "{shown}");
            voice["error"]["message"].clone()
        }
    }
}

/// What it provides, asked of each kind: it never says, so it is not taken in, and everyone else is served meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn hanging_while_it_is_asked_what_it_provides() {
    for (kind, function) in
        [("readiness", "readiness.classifiers"), ("condition", "condition.predicates"), ("step", "step.steps")]
    {
        for attempt in 1..=TRIES {
            let took = refused(kind, function).await;
            eprintln!("{function}: {took} ms of {SILENT}");
            if took <= SILENT + PAST {
                break;
            }
            assert!(attempt < TRIES || overloaded(), "{function} took {took} ms");
        }
    }
}

/// How long the server let it.
async fn refused(kind: &str, function: &str) -> f64 {
    let folder = Folder::new();
    folder.add_dist("hostile", "tests/hostile.wasm");
    let bench = folder.bench(&format!("[plugins.hostile.settings]\nkind = \"{kind}\"\ndescribe = \"spin\"\n")).await;
    let memory = Resident::of(bench.client.pid().await);
    bench.call("wait_for_ui", json!({ "selector": { "text": "Sign in" } })).await.fine();
    let mut plugin = shown(&bench, "hostile").await;
    while plugin["state"] == "compiling" {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        plugin = shown(&bench, "hostile").await;
    }
    let problem = &plugin["problem"];
    assert_eq!((&plugin["state"], &problem["code"]), (&json!("refused"), &json!("PLUGIN_FAULT")), "{plugin:#}");
    let message = problem["message"].as_str().unwrap();
    let begins =
        format!("plugin hostile: {function} (deadline): it ran 250 ms without a host call; it was ended after ");
    let rest = message.strip_prefix(&begins).unwrap_or_else(|| panic!("{message}"));
    if let Some(grown) = memory.grown_mib() {
        assert!(grown <= 64.0 + BESIDE, "{grown} MiB");
    }
    bench.call("tap_element", json!({ "selector": { "text": "Remember me" } })).await.succeeded();
    rest.trim_end_matches(" ms").parse().unwrap()
}
