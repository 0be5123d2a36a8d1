//! The door's edges: guests of other versions, and guests that look for a world behind WASI.

use std::sync::Arc;

use serde_json::json;

use super::support::{LONG, Pretended, budget, config, listed, plugin, started, timeline};
use crate::plugin::{Builtins, PluginConfig};

async fn fixture(name: &str, wasm: &[u8]) -> Arc<crate::plugin::Plugins> {
    started(PluginConfig { builtins: Builtins::none().replace(name, wasm.to_vec()), ..config() }).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guests_of_older_and_compatible_newer_doors_run() {
    let guests: [&[u8]; 2] = [include_bytes!("fixtures/older.wasm"), include_bytes!("fixtures/newer-compatible.wasm")];
    for wasm in guests {
        let plugins = fixture("guest", wasm).await;
        let budget = budget(LONG);
        let report = plugins.run_step("pass", &json!({}), Pretended::new(&budget), &budget).await.unwrap();
        assert!(report.passed);
        assert_eq!((report.body, report.evidence.len(), report.shows.len()), (None, 0, 0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_guest_that_needs_more_than_this_door_has_is_told_so() {
    let plugins = fixture("newer", include_bytes!("fixtures/newer.wasm")).await;
    let entry = listed(&plugins, "newer");
    assert_eq!(entry["problem"]["code"], "IMPORT_UNSUPPORTED", "{entry:#}");
    let message = entry["problem"]["message"].as_str().unwrap();
    assert!(message.contains("handset:plugin@0.1.0") && message.contains("shake"), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_components_own_type_tells_its_door_whatever_the_manifest_says() {
    let dir = tempfile::tempdir().unwrap();
    plugin(dir.path(), "next", include_bytes!("fixtures/next.wasm"), &[], |text| text);
    let plugins = started(PluginConfig { dirs: vec![dir.path().into()], ..config() }).await;
    let entry = listed(&plugins, "next");
    assert_eq!(entry["problem"]["code"], "WIT_UNSUPPORTED", "{entry:#}");
    let message = entry["problem"]["message"].as_str().unwrap();
    assert!(message.contains("@0.2.0; this host opens handset:plugin@0.1.0"), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wasi_is_there_and_empty_and_the_same_twice() {
    let plugins = fixture("looking", include_bytes!("fixtures/wasi.wasm")).await;
    let once = plugins.classify(Arc::new(timeline())).await;
    let again = plugins.classify(Arc::new(timeline())).await;
    let seen = &once.iter().find(|voice| voice.classifier == "wasi").unwrap().limitations;
    let [environment, pause, wall, random] = &seen[..] else { panic!("{once:?}") };
    assert_eq!((environment.as_str(), pause.as_str()), ("0000000000000000", "0000000000000000"));
    assert_eq!(u64::from_str_radix(wall, 16).unwrap(), 1_767_225_600);
    assert_ne!(random, "0000000000000000");
    assert_eq!(*seen, again.iter().find(|voice| voice.classifier == "wasi").unwrap().limitations);
    assert!(once.iter().all(|voice| voice.elapsed_ms < 1_000.0), "an hour's pause is none: {once:?}");
    let shouted = once.iter().find(|voice| voice.classifier == "shout").unwrap().fault.as_ref().unwrap();
    assert!(shouted.message.ends_with("its last output: shouted, then fell"), "{}", shouted.message);
}
