//! Honest guests: the built-in components, the example, one component with all three interfaces.

use std::sync::Arc;
use std::time::Instant;

use handset_model::Code;
use serde_json::json;

use super::support::{LONG, Pretended, budget, builtin, config, guest, listed, screen, started, timeline};
use crate::plugin::{Builtins, CheckVerdict, PendingInput, PluginConfig, ReadinessState};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_embedded_components_load_and_say_what_they_provide() {
    let plugins = started(PluginConfig { builtins: Builtins::embedded(), ..config() }).await;
    for name in ["conditions", "readiness", "steps"] {
        let entry = listed(&plugins, name);
        assert_eq!((&entry["state"], &entry["built_in"]), (&json!("ready"), &json!(true)), "{entry:#}");
    }
    let types: Vec<String> = plugins.step_types().into_iter().map(|step| step.type_name).collect();
    for wanted in [
        "start_app",
        "wait",
        "tap",
        "assert",
        "type_text",
        "press_back",
        "swipe",
        "press_key",
        "scroll_to_element",
        "terminate_app",
        "wait_for_readiness",
    ] {
        assert!(types.iter().any(|name| name == wanted), "{wanted} of {types:?}");
    }
    let voices = plugins.classify(Arc::new(timeline())).await;
    assert!(!voices.is_empty());
    for voice in &voices {
        assert_eq!(voice.fault, None, "{voice:?}");
        assert_ne!(voice.state, ReadinessState::Loading, "{voice:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_predicate_is_validated_prepared_and_asked() {
    let plugins = started(PluginConfig { builtins: Builtins::embedded(), ..config() }).await;
    let good = json!({ "selector": { "resource_id": "com.example:id/button_2" } });
    plugins.validate_predicate("element-visible", &good).await.unwrap();

    let check = plugins.prepare_check("element-visible", good).await.unwrap();
    let outcome =
        tokio::task::spawn_blocking(move || check.check(screen(2, 3), None, PendingInput::default(), timeline()))
            .await
            .unwrap();
    assert_eq!(outcome.verdict, CheckVerdict::Holds, "{outcome:?}");
    assert_eq!(outcome.evidence[0].at, Some((2, 2)));

    let gone = json!({ "selector": { "resource_id": "com.example:id/button_9" } });
    let check = plugins.prepare_check("element-visible", gone).await.unwrap();
    let outcome =
        tokio::task::spawn_blocking(move || check.check(screen(2, 3), None, PendingInput::default(), timeline()))
            .await
            .unwrap();
    assert!(matches!(outcome.verdict, CheckVerdict::Fails(_)), "{outcome:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_names_and_arguments_say_what_could_be_meant() {
    let plugins = started(PluginConfig { builtins: Builtins::embedded(), ..config() }).await;
    let unknown = plugins.validate_predicate("element-visable", &json!({})).await.unwrap_err();
    assert_eq!((unknown.code, unknown.member.as_deref()), (Code::InvalidArgument, Some("predicate")));
    assert_eq!(unknown.candidates[0], json!("element-visible"));
    let unknown = plugins.step_type("tpa").unwrap_err();
    assert_eq!((unknown.code, unknown.member.as_deref()), (Code::InvalidArgument, Some("type")));
    assert!(unknown.candidates.contains(&json!("tap")), "{:?}", unknown.candidates);

    let missing = plugins.validate_predicate("element-visible", &json!({})).await.unwrap_err();
    assert_eq!((missing.code, missing.member.as_deref()), (Code::InvalidArgument, Some("selector")));
    let extra = plugins
        .validate_predicate("element-visible", &json!({ "selector": { "text": "x" }, "selectr": 1 }))
        .await
        .unwrap_err();
    assert_eq!((extra.code, extra.member.as_deref()), (Code::InvalidArgument, Some("selectr")));
    assert_eq!(extra.candidates, [json!("selector")]);
    let inner =
        plugins.validate_predicate("element-visible", &json!({ "selector": { "tex": "x" } })).await.unwrap_err();
    assert_eq!((inner.code, inner.member.as_deref()), (Code::InvalidArgument, Some("selector.tex")), "{inner:?}");
    let kind = plugins.validate_predicate("element-visible", &json!({ "selector": 4 })).await.unwrap_err();
    assert_eq!((kind.code, kind.member.as_deref()), (Code::InvalidArgument, Some("selector")), "{kind:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_reads_and_reports() {
    let plugins = builtin("hostile", "tests/hostile.wasm").await;
    let budget = budget(LONG);
    let report = plugins.run_step("two-reads", &json!({}), Pretended::new(&budget), &budget).await.unwrap();
    assert!(report.passed);
    assert_eq!(report.body, Some(json!([1, 2])));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_component_may_provide_all_three() {
    let plugins = builtin("all", "tests/all-three.wasm").await;
    let budget = budget(LONG);
    assert!(plugins.run_step("pass", &json!({}), Pretended::new(&budget), &budget).await.unwrap().passed);
    assert_eq!(plugins.classify(Arc::new(timeline())).await[0].state, ReadinessState::Unknown);
    let check = plugins.prepare_check("hold", json!({})).await.unwrap();
    let outcome =
        tokio::task::spawn_blocking(move || check.check(screen(2, 3), None, PendingInput::default(), timeline()))
            .await
            .unwrap();
    assert_eq!(outcome.verdict, CheckVerdict::Holds);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_builtin_can_be_replaced_by_name() {
    let builtins = Builtins::embedded().replace("conditions", guest("tests/snapshot-fails.wasm"));
    let plugins = started(PluginConfig { builtins, ..config() }).await;
    let args = json!({ "snapshotSessionId": "session", "snapshotRevision": 1 });
    let check = plugins.prepare_check("snapshot", args).await.unwrap();
    let outcome = tokio::task::spawn_blocking(move || {
        check.check(screen(1, 3), Some(screen(1, 3)), PendingInput::default(), timeline())
    })
    .await
    .unwrap();
    assert_eq!(outcome.verdict, CheckVerdict::Fails("says so always".into()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failure_that_a_guest_passes_on_is_the_hosts_own() {
    let dir = tempfile::tempdir().unwrap();
    super::support::plugin(
        dir.path(),
        "login-flow",
        &guest("examples/login-flow/login-flow.wasm"),
        &["observe", "input:tap_element", "input:type_text"],
        |text| text,
    );
    let grants = super::support::granted(&["observe", "input:tap_element", "input:type_text"]);
    let plugins = [("login-flow".to_owned(), grants)].into();
    let plugins = started(PluginConfig { dirs: vec![dir.path().into()], plugins, ..config() }).await;
    let budget = budget(std::time::Duration::from_millis(500));
    let args = json!({ "user": "ann", "password": "secret" });
    plugins.validate_step("login-flow/sign-in", &args).await.unwrap();
    let ops = Pretended::new(&budget);
    let failure = plugins.run_step("login-flow/sign-in", &args, Arc::clone(&ops) as Arc<_>, &budget).await.unwrap_err();
    assert_eq!((failure.code, &failure.candidates[..]), (Code::Timeout, &[json!("Button 1")][..]), "{failure:?}");
    assert_eq!(
        ops.called.lock().unwrap()[..5],
        ["tap_element", "type_text", "tap_element", "type_text", "tap_element"]
    );
    assert_eq!(ops.said.lock().unwrap()[..], ["waiting for the welcome screen"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_keeps_its_plugins_over_a_reload() {
    let dir = tempfile::tempdir().unwrap();
    super::support::plugin(dir.path(), "all", &guest("tests/all-three.wasm"), &[], |text| text);
    let plugins = started(PluginConfig { dirs: vec![dir.path().into()], ..config() }).await;
    let (pinned, unused) = (plugins.pinned(), plugins.pinned());
    pinned.ready(&budget(LONG)).await.unwrap();
    std::fs::remove_dir_all(dir.path().join("all")).unwrap();
    plugins.reload().await.unwrap();
    assert!(plugins.step_type("all/pass").is_err());
    assert!(unused.step_type("all/pass").is_err(), "it has not looked at any before");
    let budget = budget(LONG);
    assert!(pinned.run_step("all/pass", &json!({}), Pretended::new(&budget), &budget).await.unwrap().passed);
}

/// Not a bound, a figure: `cargo test … what_a_call_costs -- --nocapture`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_call_costs() {
    let plugins = builtin("all", "tests/all-three.wasm").await;
    const CALLS: u32 = 200;
    let mut making = std::time::Duration::ZERO;
    let mut checking = std::time::Duration::ZERO;
    let (now, before) = (screen(2, 500), screen(1, 500));
    for _ in 0..CALLS {
        let started = Instant::now();
        let check = plugins.prepare_check("hold", json!({})).await.unwrap();
        making += started.elapsed();
        let (now, before) = (Arc::clone(&now), Arc::clone(&before));
        let took = tokio::task::spawn_blocking(move || {
            let started = Instant::now();
            let _ = check.check(now, Some(before), PendingInput::default(), Default::default());
            started.elapsed()
        });
        checking += took.await.unwrap();
    }
    let budget = budget(LONG);
    let started = Instant::now();
    for _ in 0..CALLS {
        plugins.run_step("pass", &json!({}), Pretended::new(&budget), &budget).await.unwrap();
    }
    println!("prepare {:?}, check {:?}, step {:?}", making / CALLS, checking / CALLS, started.elapsed() / CALLS);
}
