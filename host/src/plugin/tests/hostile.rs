//! Guests that misbehave: each ends at its bound, with the fault that names plugin, kind and function.
//!
//! How long a call ran is what the host noted of it, its store's end included. On a machine that runs other things too a
//! thread may wait for its turn: a bound that was kept once is kept, so a call that was late is made again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use handset_model::{Code, Failure};
use serde_json::json;

use super::support::{LONG, Pretended, budget, builtin, hostile, screen, timeline};
use crate::plugin::{CheckVerdict, PendingInput, Plugins, ReadinessState};

/// What a bound may be overrun by.
const PAST: Duration = Duration::from_millis(50);
/// How often a late call is made again.
const TRIES: u32 = 10;

struct Case {
    name: &'static str,
    kind: &'static str,
    text: &'static str,
    within_ms: u64,
}

const fn case(name: &'static str, kind: &'static str, text: &'static str, within_ms: u64) -> Case {
    Case { name, kind, text, within_ms }
}

const COMMON: &[Case] = &[
    case("spin", "deadline", "ran 250 ms without a host call", 250),
    case("recursion", "trap", "recursed too deep", 250),
    case("memory", "memory", "its limit is 64 MiB", 250),
    case("table", "memory", "its limit is 64 MiB", 250),
    case("huge-string", "memory", "its limit is 64 MiB", 250),
    case("huge-argument", "memory", "its limit is 64 MiB", 250),
    case("large-string", "flood", "copied more than 1 MiB", 250),
    case("log-flood", "flood", "wrote more than 10000", 1_000),
    case("panic", "trap", "panicked", 250),
    case("print-flood", "deadline", "ran 250 ms without a host call", 250),
    case("unlent-evidence", "bad return", "never lent", 250),
    case("bad-evidence", "bad return", "never lent", 250),
];

/// How long the plugin's last fault took.
fn took(plugins: &Plugins) -> Duration {
    plugins.set()[0].faults.standing().last.map_or(Duration::MAX, |fault| fault.took)
}

/// More that wants to run than a machine's processors can: whoever is late here may be so through no fault of the host.
fn overloaded() -> bool {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: f64 = load.split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0);
    load > 2.0 * std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64)
}

/// Whether the bound was kept; panics when it was not, for the last time.
fn in_time(plugins: &Plugins, case: &Case, function: &str, attempt: u32) -> bool {
    let (took, within) = (took(plugins), Duration::from_millis(case.within_ms) + PAST);
    println!("{function} {}: {took:?}", case.name);
    let kept = took <= within;
    assert!(kept || attempt < TRIES || overloaded(), "{function} {}: took {took:?}, bound {within:?}", case.name);
    kept || attempt == TRIES
}

fn assert_fault(failure: &Failure, case: &Case, function: &str) {
    let message = &failure.message;
    assert_eq!(failure.code, Code::PluginFault, "{}: {message}", case.name);
    assert!(message.starts_with("plugin hostile: "), "{}: {message}", case.name);
    // What is work runs out of time first on a machine that has none to spare.
    let work =
        ["recursion", "memory", "table", "huge-string", "huge-argument", "large-string", "million-calls", "log-flood"]
            .contains(&case.name);
    if !(message.contains("(deadline)") && (work || overloaded())) {
        assert!(message.contains(&format!("({})", case.kind)), "{}: {message}", case.name);
        assert!(message.contains(case.text), "{}: {message}", case.name);
    }
    assert!(message.contains(&format!("{function} {}", case.name)), "{}: {message}", case.name);
}

async fn run(
    plugins: &Plugins,
    name: &str,
    time: Duration,
) -> (Result<crate::plugin::StepReport, Failure>, Arc<Pretended>, Duration) {
    let budget = budget(time);
    let ops = Pretended::new(&budget);
    let started = Instant::now();
    let done = plugins.run_step(name, &json!({}), Arc::clone(&ops) as Arc<_>, &budget).await;
    (done, ops, started.elapsed())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn steps_end_at_their_bounds() {
    let plugins = builtin("hostile", "tests/hostile.wasm").await;
    let own = [
        case("long-reason", "flood", "copied more than 1 MiB", 250),
        case("flood-evidence", "flood", "copied more than 1 MiB", 250),
        case("bad-body", "bad return", "not JSON", 250),
        case("nan-body", "bad return", "not JSON", 250),
        case("bad-shows", "bad return", "shows answer 0", 250),
        case("many-handles", "flood", "too many handles", 2_000),
        case("progress-flood", "flood", "16 MiB", 1_000),
        case("note-flood", "flood", "wrote more than 10000", 1_000),
        case("bad-code", "bad return", "NO_SUCH_CODE", 250),
        case("wait-forever", "deadline", "after its time was up", 1_500),
    ];
    for case in COMMON.iter().chain(&own) {
        let time = if case.name == "wait-forever" { Duration::from_millis(500) } else { LONG };
        for attempt in 1..=TRIES {
            let (done, _, _) = run(&plugins, case.name, time).await;
            assert_fault(&done.unwrap_err(), case, "step.run");
            if in_time(&plugins, case, "step.run", attempt) {
                break;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn predicates_end_at_their_bounds() {
    let plugins = builtin("hostile", "tests/hostile.wasm").await;
    let own = [
        case("long-reason", "bad return", "a reason of 1048576 bytes", 250),
        case("flood-evidence", "flood", "copied more than 1 MiB", 250),
        case("million-calls", "flood", "more than 100000 host calls", 1_000),
        case("many-handles", "flood", "too many handles", 1_000),
    ];
    for case in COMMON.iter().chain(&own) {
        for attempt in 1..=TRIES {
            let made = plugins.prepare_check(case.name, json!({})).await.unwrap();
            let outcome = tokio::task::spawn_blocking(move || {
                made.check(screen(2, 3), Some(screen(1, 3)), PendingInput::default(), timeline())
            })
            .await
            .unwrap();
            let CheckVerdict::Fault(failure) = outcome.verdict else { panic!("{}: {:?}", case.name, outcome.verdict) };
            assert_fault(&failure, case, "condition.check");
            if in_time(&plugins, case, "condition.check", attempt) {
                break;
            }
        }
    }
}

/// No epoch fires in a host call; one whose work a guest can make large looks at the clock itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_of_a_huge_screen_ends_with_its_call() {
    let plugins = builtin("hostile", "tests/hostile.wasm").await;
    let case = case("long-search", "deadline", "one host call", 250);
    let before = screen(1, 3);
    for attempt in 1..=TRIES {
        let made = plugins.prepare_check(case.name, json!({})).await.unwrap();
        let mut huge = (*before).clone();
        huge.tree.elements[1].text = Some("a".repeat(8 << 20));
        let (huge, before) = (Arc::new(huge), Arc::clone(&before));
        // The host goes on remembering a screen when a call is over.
        let _remembered = Arc::clone(&huge);
        let outcome =
            tokio::task::spawn_blocking(move || made.check(huge, Some(before), PendingInput::default(), timeline()))
                .await
                .unwrap();
        let CheckVerdict::Fault(failure) = outcome.verdict else { panic!("{:?}", outcome.verdict) };
        assert_fault(&failure, &case, "condition.check");
        if in_time(&plugins, &case, "condition.check", attempt) {
            break;
        }
    }
}

/// A guest that has a standard output may use it: what it writes is nobody's protocol.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_guest_prints_ends_nothing() {
    let plugins = builtin("hostile", "tests/hostile.wasm").await;
    let (done, _, _) = run(&plugins, "print", LONG).await;
    assert_eq!(done.unwrap().failure_code.as_deref(), Some("INVALID_ARGUMENT"));
    let made = plugins.prepare_check("print", json!({})).await.unwrap();
    let outcome =
        tokio::task::spawn_blocking(move || made.check(screen(2, 3), None, PendingInput::default(), timeline()))
            .await
            .unwrap();
    assert_eq!(outcome.verdict, CheckVerdict::Holds);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_classifier_that_breaks_is_named_and_the_others_are_heard() {
    let plugins = builtin("hostile", "tests/hostile.wasm").await;
    let voices = plugins.classify(Arc::new(timeline())).await;
    let voice = |name: &str| voices.iter().find(|voice| voice.classifier == name).unwrap();
    for case in COMMON {
        let failure = voice(case.name).fault.as_ref().unwrap_or_else(|| panic!("{}", case.name));
        assert_fault(failure, case, "readiness.classify");
    }
    assert_eq!(voice("always-settled").state, ReadinessState::Settled);
    assert_eq!(voice("always-settled").fault, None);
    let could_not = voice("err").fault.as_ref().unwrap();
    assert_eq!((could_not.code, could_not.message.contains("on purpose")), (Code::Unsupported, true));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn validation_that_hangs_or_panics_is_a_fault() {
    let plugins = builtin("hostile", "tests/hostile.wasm").await;
    let args = json!({});
    let spin = plugins.validate_step("validate-spin", &args).await.unwrap_err();
    assert!(spin.message.contains("step.validate validate-spin (deadline)"), "{}", spin.message);
    let panic = plugins.validate_step("validate-panic", &args).await.unwrap_err();
    assert!(panic.message.contains("step.validate validate-panic (trap)"), "{}", panic.message);
    let look = plugins.first_look("look-spin", &args).await.unwrap_err();
    assert!(look.message.contains("step.first-look look-spin (deadline)"), "{}", look.message);
    let predicate = plugins.validate_predicate("validate-spin", &args).await.unwrap_err();
    assert!(predicate.message.contains("condition.validate validate-spin (deadline)"), "{}", predicate.message);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panic_text_reaches_the_fault() {
    let plugins = builtin("hostile", "tests/hostile.wasm").await;
    let (done, _, _) = run(&plugins, "panic", LONG).await;
    let message = done.unwrap_err().message;
    assert!(message.contains("its last output: ") && message.contains("hostile on purpose"), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_without_a_million_reasons_may_ask_a_million_times() {
    let plugins = builtin("hostile", "tests/hostile.wasm").await;
    let (done, _, elapsed) = run(&plugins, "million-calls", LONG).await;
    assert!(done.unwrap().passed);
    println!("a million host calls of a step: {elapsed:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn observations_past_the_cap_are_a_failure_not_a_trap() {
    let plugins = builtin("hostile", "tests/hostile.wasm").await;
    let budget = budget(LONG);
    // Some 2 MiB each: the seventeenth does not fit into 32 MiB.
    let ops = Pretended::with_buttons(&budget, 4_000);
    let failure = plugins.run_step("many-handles", &json!({}), ops, &budget).await.unwrap_err();
    assert_eq!(failure.code, Code::Unsupported);
    assert!(failure.message.contains("32 MiB of observations"), "{}", failure.message);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn control_characters_do_not_get_out() {
    let plugins = builtin("hostile", "tests/hostile.wasm").await;
    let (done, _, _) = run(&plugins, "control-characters", LONG).await;
    let message = done.unwrap_err().message;
    assert!(message.contains("no kebab-case name"), "{message}");
    assert!(!message.contains(char::is_control) && !message.contains('\u{202e}'), "{message:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_count_as_memory() {
    let plugins = builtin("flood", "tests/table-flood.wasm").await;
    let entry = super::support::listed(&plugins, "flood");
    assert_eq!((&entry["state"], &entry["problem"]["code"]), (&json!("refused"), &json!("PLUGIN_FAULT")), "{entry:#}");
    assert!(entry["problem"]["message"].as_str().unwrap().contains("(memory)"), "{entry:#}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plugin_that_never_says_what_it_provides_is_refused() {
    let started = Instant::now();
    let plugins = builtin("describe-hangs", "tests/describe-hangs.wasm").await;
    let entry = super::support::listed(&plugins, "describe-hangs");
    assert_eq!(entry["problem"]["code"], "PLUGIN_FAULT", "{entry:#}");
    assert!(entry["problem"]["message"].as_str().unwrap().contains("step.steps (deadline)"), "{entry:#}");
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_faults_in_a_row_quarantine_a_third_party() {
    let dir = tempfile::tempdir().unwrap();
    let plugins = hostile(dir.path(), &["observe"]).await;
    for _ in 0..3 {
        run(&plugins, "hostile/panic", LONG).await.0.unwrap_err();
    }
    let held = run(&plugins, "hostile/two-reads", LONG).await.0.unwrap_err();
    assert_eq!(held.code, Code::PluginFault);
    assert!(held.message.contains("quarantined") && held.message.contains("hostile on purpose"), "{}", held.message);
    assert_eq!(super::support::listed(&plugins, "hostile")["state"], "quarantined");

    // Half open: a trial that faults closes it again, one that answers opens it.
    let faults = Arc::clone(&plugins.set()[0].faults);
    faults.expire_quarantine();
    run(&plugins, "hostile/panic", LONG).await.0.unwrap_err();
    assert!(run(&plugins, "hostile/two-reads", LONG).await.0.unwrap_err().message.contains("quarantined"));
    faults.expire_quarantine();
    assert!(run(&plugins, "hostile/two-reads", LONG).await.0.unwrap().passed);
    assert_eq!(super::support::listed(&plugins, "hostile")["state"], "ready");

    for _ in 0..3 {
        run(&plugins, "hostile/panic", LONG).await.0.unwrap_err();
    }
    plugins.reload().await.unwrap();
    assert!(run(&plugins, "hostile/two-reads", LONG).await.0.unwrap().passed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_between_faults_starts_the_count_again_and_builtins_are_never_held() {
    let plugins = builtin("hostile", "tests/hostile.wasm").await;
    for _ in 0..5 {
        run(&plugins, "panic", LONG).await.0.unwrap_err();
    }
    assert!(run(&plugins, "two-reads", LONG).await.0.unwrap().passed);
    assert_eq!(super::support::listed(&plugins, "hostile")["faults"]["in_a_row"], 0);
}
