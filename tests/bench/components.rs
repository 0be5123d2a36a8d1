//! Calls of components: readiness, conditions, the dispatch of a step.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use handset::budget::Budget;
use handset::device::BoxFuture;
use handset::plugin::{
    Answer, Builtins, EvidenceNote, Found, PendingInput, PluginConfig, Plugins, SessionOps, TimelineData, WaitOptions,
};
use handset_model::snapshot::{History, HistoryLimits, Observation};
use handset_model::ui::Selector;
use handset_model::{Code, Failure};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::parse::{dump_of, observation};
use crate::report::{Row, Subject};
use crate::subject::{Runs, in_turns, timed};

/// `components`.
pub(crate) async fn components(runs: Runs) -> Subject {
    let mut subject = Subject::begin(
        "components",
        "Components",
        "Calls of the built-in components in the library: a fresh instance, the call, the checked answer. Readiness is given two \
         reads of the screen. The floor is what the host itself needs to look for one text among the same elements. \
         A step is one `press_back` whose input is answered at once, so that only its component is measured.",
        runs,
    );
    let plugins = started().await;
    for elements in [20, 500, 2_000] {
        let screen = screen(elements);
        let count = screen.tree.elements.len();
        let selector = Selector { text: Some("no such text".to_owned()), ..Selector::default() };
        let floor = || timed(|| selector.find(&screen.tree));
        let two = TimelineData { observations: vec![Arc::clone(&screen); 2], ..TimelineData::default() };
        let two = Arc::new(two);
        let bounded = |row: Row| if elements == 500 { row.median_at_most(0.5) } else { row };

        let mut slowest = Vec::new();
        let asked = async || {
            let began = std::time::Instant::now();
            let voices = plugins.classify(Arc::clone(&two)).await;
            let took = began.elapsed().as_secs_f64() * 1_000.0;
            assert!(!voices.is_empty() && voices.iter().all(|voice| voice.fault.is_none()), "{voices:?}");
            slowest.push(voices.iter().map(|voice| voice.elapsed_ms).fold(0.0, f64::max));
            took
        };
        let (classified, bare) = in_turns(runs.of(200), 5, asked, async || floor()).await;
        subject.row(bounded(Row::new(format!("readiness, slowest classifier, {count} elements"), "ms", slowest)));
        subject.row(Row::new(format!("readiness, all classifiers, {count} elements"), "ms", classified).over(bare));

        let arguments = json!({ "selector": { "text": "no such text" } });
        let checked = async || {
            let began = std::time::Instant::now();
            let check = plugins.prepare_check("element-visible", arguments.clone()).await.expect("prepared");
            let now = Arc::clone(&screen);
            let decide = move || check.check(now, None, PendingInput::default(), TimelineData::default());
            let outcome = tokio::task::spawn_blocking(decide).await.expect("decided");
            let took = began.elapsed().as_secs_f64() * 1_000.0;
            assert!(matches!(outcome.verdict, handset::plugin::CheckVerdict::Fails(_)), "{outcome:?}");
            took
        };
        let (decided, bare) = in_turns(runs.of(200), 5, checked, async || floor()).await;
        subject
            .row(bounded(Row::new(format!("condition element-visible, {count} elements"), "ms", decided).over(bare)));
    }
    let mut steps = Vec::new();
    for _ in 0..runs.of(200) {
        let ops = Arc::new(AtOnce::default());
        let began = std::time::Instant::now();
        let report = plugins.run_step("press_back", &json!({}), ops, &budget()).await.expect("the step runs");
        steps.push(began.elapsed().as_secs_f64() * 1_000.0);
        assert!(report.passed, "{report:?}");
    }
    subject.row(Row::new("dispatch of a step", "ms", steps).median_at_most(2.0));
    subject
}

fn budget() -> Budget {
    Budget::new(Duration::from_secs(30), CancellationToken::new())
}

/// The built-in components, compiled.
async fn started() -> Arc<Plugins> {
    let plugins = Plugins::start(PluginConfig {
        dirs: Vec::new(),
        plugins: BTreeMap::new(),
        cache_dir: None,
        protected: Vec::new(),
        grant_of: Arc::new(handset::tools::grant_of),
        element_id: Arc::new(|screen, index| Some(format!("e{index}.{}", screen.revision))),
        builtins: Builtins::embedded(),
        precompiler: None,
        reread: None,
    });
    plugins.ready(&budget()).await.expect("compiled");
    plugins
}

/// A real screen with at least this many elements kept, as few nodes as that takes.
fn screen(elements: usize) -> Arc<Observation> {
    let mut history = History::new(Arc::from("bench"), HistoryLimits::default());
    let mut nodes = elements;
    loop {
        let seen = observation(&mut history, &dump_of(nodes));
        let kept = seen.tree.elements.len();
        if kept >= elements {
            return seen;
        }
        nodes += elements - kept;
    }
}

/// A session whose device answers at once.
#[derive(Default)]
struct AtOnce {
    answers: AtomicU32,
}

fn nothing<T: Send + 'static>() -> BoxFuture<'static, Result<T, Failure>> {
    Box::pin(async { Err(Failure::new(Code::Unsupported, "no screen here")) })
}

impl SessionOps for AtOnce {
    fn platform(&self) -> String {
        "android".to_owned()
    }

    fn remaining_ms(&self) -> u32 {
        30_000
    }

    fn observe(&self) -> BoxFuture<'_, Result<Arc<Observation>, Failure>> {
        nothing()
    }

    fn wait_for(&self, _: String, _: String, _: WaitOptions) -> BoxFuture<'_, Result<Found, Failure>> {
        nothing()
    }

    fn wait_for_screen(&self, _: String, _: WaitOptions) -> BoxFuture<'_, Result<Arc<Observation>, Failure>> {
        nothing()
    }

    fn call(&self, _: String, _: String) -> BoxFuture<'_, Result<Answer, Failure>> {
        Box::pin(async move {
            Ok(Answer {
                id: self.answers.fetch_add(1, Ordering::Relaxed),
                success: true,
                failure_code: None,
                dispatch_started: true,
                body: json!({ "success": true }).to_string(),
            })
        })
    }

    fn progress(&self, _: String) {}

    fn note(&self, _: EvidenceNote) {}

    fn element_id(&self, _: &Arc<Observation>, _: u32) -> Option<String> {
        None
    }
}
