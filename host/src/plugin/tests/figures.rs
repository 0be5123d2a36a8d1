//! What calls of the built-in components, as they are in `plugins/dist`, cost by the size of the screen. Figures, not bounds; on a quiet machine, as
//! `cargo test --release -p handset --lib figures -- --ignored --nocapture`.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};

use super::support::{LONG, Pretended, budget, config, guest, screen, started};
use crate::plugin::{Builtins, CheckVerdict, PendingInput, PluginConfig, Plugins, TimelineData};

const CALLS: usize = 300;

/// Milliseconds, sorted and shown.
fn show(what: &str, elements: u32, mut samples: Vec<f64>) {
    samples.sort_by(f64::total_cmp);
    let at = |share: f64| samples[((samples.len() - 1) as f64 * share) as usize];
    println!("{elements:>5} {what:<28} median {:.3}  p95 {:.3}  least {:.3} ms", at(0.5), at(0.95), at(0.0));
}

fn since(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1_000.0
}

async fn classifying(plugins: &Plugins, elements: u32) {
    let reads = vec![screen(7, elements - 1), screen(7, elements - 1)];
    let timeline = Arc::new(TimelineData { observations: reads, ..TimelineData::default() });
    let mut rounds = Vec::new();
    let mut voices: Vec<(String, Vec<f64>)> = Vec::new();
    for _ in 0..CALLS {
        let started = Instant::now();
        let heard = plugins.classify(Arc::clone(&timeline)).await;
        rounds.push(since(started));
        for voice in heard {
            assert_eq!(voice.fault, None, "{voice:?}");
            match voices.iter_mut().find(|(name, _)| *name == voice.classifier) {
                Some((_, samples)) => samples.push(voice.elapsed_ms),
                None => voices.push((voice.classifier, vec![voice.elapsed_ms])),
            }
        }
    }
    for (name, samples) in voices {
        show(&format!("classify {name}"), elements, samples);
    }
    show("classify, all of them", elements, rounds);
}

async fn checking(plugins: &Plugins, elements: u32) {
    let (now, before) = (screen(8, elements - 1), screen(7, elements - 1));
    let selector = json!({ "text": format!("Button {}", elements - 1) });
    let predicates: [(&str, Value); 3] = [
        ("element-visible", json!({ "selector": selector })),
        ("text-present", json!({ "text": format!("Button {}", elements - 1) })),
        ("snapshot", json!({ "snapshotSessionId": "session", "snapshotRevision": 7 })),
    ];
    for (name, args) in predicates {
        plugins.validate_predicate(name, &args).await.unwrap();
        let (mut made, mut asked) = (Vec::new(), Vec::new());
        for _ in 0..CALLS {
            let started = Instant::now();
            let check = plugins.prepare_check(name, args.clone()).await.unwrap();
            made.push(since(started));
            let (now, before) = (Arc::clone(&now), Arc::clone(&before));
            let pending = PendingInput { target: Some(3), target_before: Some(3), ..PendingInput::default() };
            let asking = tokio::task::spawn_blocking(move || {
                let started = Instant::now();
                let outcome = check.check(now, Some(before), pending, TimelineData::default());
                (since(started), outcome.verdict)
            });
            let (took, verdict) = asking.await.unwrap();
            assert!(!matches!(verdict, CheckVerdict::Fault(_)), "{name}: {verdict:?}");
            asked.push(took);
        }
        show(&format!("prepare {name}"), elements, made);
        show(&format!("check {name}"), elements, asked);
    }
}

async fn stepping(plugins: &Plugins, elements: u32) {
    let budget = budget(LONG);
    let steps = [("tap", json!({ "selector": { "text": "Button 2" } }))];
    for (name, args) in steps {
        let (mut validated, mut ran) = (Vec::new(), Vec::new());
        for _ in 0..CALLS {
            let started = Instant::now();
            plugins.validate_step(name, &args).await.unwrap();
            validated.push(since(started));
            let ops = Pretended::with_buttons(&budget, elements - 1);
            let started = Instant::now();
            plugins.run_step(name, &args, ops, &budget).await.unwrap();
            ran.push(since(started));
        }
        show(&format!("validate {name}"), elements, validated);
        show(&format!("run {name}"), elements, ran);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "figures, for a quiet machine and a release build"]
async fn component_calls_by_the_size_of_the_screen() {
    let built = ["conditions", "readiness", "steps"];
    let builtins =
        built.into_iter().fold(Builtins::none(), |all, name| all.replace(name, guest(&format!("{name}.wasm"))));
    let plugins = started(PluginConfig { builtins, ..config() }).await;
    for elements in [20, 500, 2_000] {
        classifying(&plugins, elements).await;
        checking(&plugins, elements).await;
        stepping(&plugins, elements).await;
    }
}
