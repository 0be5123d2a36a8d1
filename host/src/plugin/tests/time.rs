//! Time: a spinning guest stops nobody else, a cancelled step ends, waiting is not charged.

use std::sync::Arc;
use std::time::{Duration, Instant};

use handset_model::Code;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::support::{LONG, Pretended, budget, builtin, screen, timeline};
use crate::budget::Budget;
use crate::plugin::PendingInput;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spinning_guests_do_not_delay_a_timer() {
    let plugins = builtin("hostile", "tests/hostile.wasm").await;
    let spinning: Vec<_> = (0..4)
        .map(|_| {
            let plugins = Arc::clone(&plugins);
            tokio::spawn(async move {
                let budget = budget(LONG);
                plugins.run_step("spin", &json!({}), Pretended::new(&budget), &budget).await.unwrap_err();
            })
        })
        .collect();
    let mut worst = Duration::ZERO;
    let mut ticks = 0;
    while spinning.iter().any(|task| !task.is_finished()) {
        let started = Instant::now();
        tokio::time::sleep(Duration::from_millis(10)).await;
        worst = worst.max(started.elapsed().saturating_sub(Duration::from_millis(10)));
        ticks += 1;
    }
    println!("{ticks} timers, latest by {worst:?}");
    assert!(ticks > 5);
    assert!(worst < Duration::from_secs(1), "a 10 ms timer came {worst:?} late");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_step_ends_as_cancelled() {
    let plugins = builtin("hostile", "tests/hostile.wasm").await;
    let token = CancellationToken::new();
    let budget = Budget::new(LONG, token.clone());
    let started = Instant::now();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        token.cancel();
    });
    let failure = plugins.run_step("wait-forever", &json!({}), Pretended::new(&budget), &budget).await.unwrap_err();
    assert_eq!(failure.code, Code::Cancelled);
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert_eq!(super::support::listed(&plugins, "hostile")["faults"]["total"], 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_time_between_preparing_and_asking_is_not_charged() {
    let plugins = builtin("all", "tests/all-three.wasm").await;
    let check = plugins.prepare_check("hold", json!({})).await.unwrap();
    // Longer than a pure call may take.
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    let outcome =
        tokio::task::spawn_blocking(move || check.check(screen(2, 3), None, PendingInput::default(), timeline()))
            .await
            .unwrap();
    assert_eq!(outcome.verdict, crate::plugin::CheckVerdict::Holds);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starting_is_at_once_and_lists_what_is_being_compiled() {
    let config = super::support::config();
    let builtins = crate::plugin::Builtins::embedded();
    let started = Instant::now();
    let plugins = crate::plugin::Plugins::start(crate::plugin::PluginConfig { builtins, ..config });
    let elapsed = started.elapsed();
    assert_eq!(super::support::listed(&plugins, "steps")["state"], "compiling");
    assert!(elapsed < Duration::from_secs(2), "{elapsed:?}");
    let short = Budget::new(Duration::ZERO, CancellationToken::new());
    assert_eq!(plugins.ready(&short).await.unwrap_err().code, Code::Timeout);
    let compiling = Instant::now();
    plugins.builtins_ready(&budget(LONG)).await.unwrap();
    println!("start {elapsed:?}, built-ins {:?}", compiling.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_that_nobody_waits_for_ends() {
    let plugins = builtin("hostile", "tests/hostile.wasm").await;
    let budget = budget(LONG);
    let ops = Pretended::new(&budget);
    let args = json!({});
    let running = plugins.run_step("million-calls", &args, Arc::clone(&ops) as Arc<_>, &budget);
    assert!(tokio::time::timeout(Duration::from_millis(50), running).await.is_err());
    // The session is let go of as soon as the store is.
    let started = Instant::now();
    while Arc::strong_count(&ops) > 1 {
        assert!(started.elapsed() < Duration::from_secs(10), "still running");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Name and niceness of every thread of this process.
#[cfg(target_os = "linux")]
fn threads() -> Vec<(String, i32)> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let stats = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("stat")).ok());
    let thread = |stat: String| {
        let (name, rest) = stat.split_once('(')?.1.rsplit_once(')')?;
        // Field 19 of proc_pid_stat(5); the one after the name is the third.
        Some((name.to_owned(), rest.split_whitespace().nth(16)?.parse().ok()?))
    };
    stats.filter_map(thread).collect()
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_guest_that_goes_on_and_on_steps_back_alone() {
    let plugins = builtin("hostile", "tests/hostile.wasm").await;
    let usual = threads().first().unwrap().1;
    let asked = tokio::spawn(async move { plugins.classify(Arc::new(timeline())).await });
    let mut stepped_back = false;
    while !asked.is_finished() {
        for (name, nice) in threads() {
            assert!(nice == usual || name == "guest", "{name} has {nice}");
            stepped_back |= nice > usual;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(stepped_back, "a spinning classifier kept its priority");
}
