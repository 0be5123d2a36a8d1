//! Sixteen phones under load for minutes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use simphone::Profile;

use crate::load::Load;
use crate::phones::marked;
use crate::report::{Row, Subject, shown};
use crate::rig::{Rig, own_ms};
use crate::subject::Runs;
use crate::vitals::Vitals;

const PHONES: usize = 16;
const CALLERS: usize = 20;

/// A quick phone, so that many of them leave the machine room to breathe.
const QUICK: Profile = Profile { dump_ms: (150, 250), input_ms: 30, other_ms: 3, idle_timeout_ms: 1_000 };

/// What may differ between two looks: memory by the allocator's slack, the others by what a few calls in flight hold, and
/// threads that wait for work by those that have not ended yet.
const MEMORY_MB: f64 = 8.0;
const IN_FLIGHT: f64 = 8.0;

/// `soak`.
pub(crate) async fn soak(runs: Runs) -> Subject {
    let minutes = if runs.quick { 0.5 } else { runs.minutes };
    let mut subject = Subject::begin(
        "soak",
        "Soak",
        &format!(
            "{PHONES} phones (150–250 ms a dump, 30 ms an input), one server, {CALLERS} concurrent callers for {} minutes: trees, deltas, waits, \
             expectations, taps, guarded taps, journeys, readiness, cancellations; a quarter of the phones now and then fails. \
             Every text on a phone names it. An answer that names another, an input in a phone's journal that no call to it sent, or \
             a delivered one that is not there, ends the run. The floor of a tree is the bare adb command lines of one, run all the \
             while on a seventeenth phone; waiting for the device's turn is left out.",
            shown(minutes)
        ),
        runs,
    );
    let options = (0..=PHONES).map(|number| {
        let mut options = marked(number);
        options.profile = QUICK;
        options.seed = 1;
        options
    });
    let mut rig = Rig::start(options).await;
    let bare = rig.phones.pop().expect("one more");
    let children = {
        let recorded = rig.recorded().await;
        let arguments = json!({ "deviceId": bare.adb_addr().to_string() });
        recorded.wire.call("get_ui_tree", &arguments).await.fine();
        recorded.call("get_ui_tree", &arguments).await.1
    };
    let (server, measures) = rig.measured().await;
    crate::start::compiled(&server).await;
    let load = Load::new(server, std::mem::take(&mut rig.phones));

    let time = Duration::from_secs_f64(minutes * 60.0);
    load.run(CALLERS, time.mul_f64(0.2).min(Duration::from_secs(30))).await;
    let before = load.at_rest().await;
    drop(load.seen());
    let over = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&over);
    let beside = tokio::spawn(async move {
        let mut took = Vec::new();
        while !told.load(Ordering::Relaxed) {
            took.push(children.run());
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        took
    });
    let began = Instant::now();
    let looks = load.run(CALLERS, time).await;
    let lasted = began.elapsed();
    over.store(true, Ordering::Relaxed);
    let bare_took = beside.await.expect("the bare children run");
    let after = load.at_rest().await;

    let seen = load.seen();
    assert!(seen.crossed.is_empty(), "{:#?}", seen.crossed);
    assert!(seen.failed.is_empty(), "{:#?}", seen.failed);
    let (wrong, inputs) = load.audit();
    assert!(wrong.is_empty(), "{wrong:#?}");

    let calls: usize = seen.took.values().map(Vec::len).sum();
    let own: Vec<f64> = measures.of(&["get_ui_tree"]).iter().filter(|one| one["success"] == true).map(own_ms).collect();
    let mut trees = None;
    for (kind, took) in seen.took {
        let row = Row::new(kind, "ms", took);
        if kind == "get_ui_tree" {
            let row = row.over(bare_took.clone());
            trees = row.floor.map(|floor| row.measured.p95 - floor.p95);
            subject.row(row);
        } else {
            subject.row(row);
        }
    }
    subject.row(Row::new("get_ui_tree and its deltas: the server's own part", "ms", own));
    vitals(&mut subject, &looks, before, after);
    subject.note(format!(
        "{calls} calls in {} s, {inputs} inputs delivered and found in their phones' journals, nothing crossed between devices.",
        shown(lasted.as_secs_f64().round())
    ));
    subject.note(format!("p95 of a tree beyond the p95 of its bare children: {} ms.", shown(trees.unwrap_or(0.0))));
    subject.note(format!(
        "{} calls failed on phones with faults, {} guards blocked, {} calls ran out of time.",
        seen.faulted, seen.blocked, seen.late
    ));
    subject
}

type Of = fn(&Vitals) -> f64;

/// The first minute under load against the last, and the server at rest before against after.
fn vitals(subject: &mut Subject, looks: &[Vitals], before: Vitals, after: Vitals) {
    let span = (looks.len() / 2).min(60);
    let (first, last) = (&looks[..span], &looks[looks.len() - span..]);
    #[allow(clippy::cast_precision_loss, reason = "small numbers")]
    let kinds: [(&str, &str, Of, f64, f64); 4] = [
        ("anonymous memory", "MB", |one| one.anonymous as f64 * 1_024.0 / 1e6, MEMORY_MB, MEMORY_MB),
        ("file descriptors", "open", |one| one.descriptors as f64, IN_FLIGHT, 0.0),
        ("threads", "threads", |one| one.threads as f64, IN_FLIGHT, IN_FLIGHT),
        ("children", "processes", |one| one.children as f64, IN_FLIGHT, 0.0),
    ];
    let minutes = looks.chunks(60).map(|minute| {
        let row = Row::new("", "", minute.iter().map(kinds[0].2).collect());
        shown(row.measured.median)
    });
    subject.note(format!("Anonymous memory, median of each minute: {} MB.", minutes.collect::<Vec<_>>().join(", ")));
    for (what, unit, of, busy, rest) in kinds {
        let begun = Row::new(format!("{what}, first {span} s"), unit, first.iter().map(of).collect());
        let ended = Row::new(format!("{what}, last {span} s"), unit, last.iter().map(of).collect());
        let grown = ended.measured.median - begun.measured.median;
        subject.row(begun);
        subject.row(ended.judged("growth of the median", grown, busy));
        let at_rest = Row::new(format!("{what}, at rest afterwards"), unit, vec![of(&after)]);
        subject.row(at_rest.judged("growth since the warm-up", of(&after) - of(&before), rest));
    }
}
