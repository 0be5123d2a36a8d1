//! Grants: nothing that was not both asked for and given.

use std::collections::BTreeMap;
use std::sync::Arc;

use handset_model::Code;
use serde_json::json;

use super::support::{LONG, Pretended, budget, builtin, config, granted, guest, hostile, listed, plugin, started};
use crate::plugin::PluginConfig;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_granted_by_asking() {
    let dir = tempfile::tempdir().unwrap();
    let plugins = hostile(dir.path(), &[]).await;
    assert_eq!(listed(&plugins, "hostile")["granted"], json!([]));
    let budget = budget(LONG);
    let ops = Pretended::new(&budget);
    let denied =
        plugins.run_step("hostile/two-reads", &json!({}), Arc::clone(&ops) as Arc<_>, &budget).await.unwrap_err();
    assert_eq!(denied.code, Code::PluginDenied);
    assert_eq!(denied.message, "plugin hostile is not granted observe");
    assert_eq!(denied.remedy.unwrap(), "Add \"observe\" to grants under [plugins.hostile] in the host's config.");

    let early = plugins.validate_step("hostile/two-reads", &json!({})).await.unwrap_err();
    assert_eq!(early.code, Code::PluginDenied);
    assert_eq!(plugins.first_look("hostile/look-spin", &json!({})).await, Ok(None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_not_asked_for_cannot_be_given() {
    let dir = tempfile::tempdir().unwrap();
    plugin(dir.path(), "login-flow", &guest("examples/login-flow/login-flow.wasm"), &["observe"], |text| text);
    let plugins =
        BTreeMap::from([("login-flow".to_owned(), granted(&["observe", "input:tap_element", "input:type_text"]))]);
    let plugins = started(PluginConfig { dirs: vec![dir.path().into()], plugins, ..config() }).await;
    let args = json!({ "user": "ann", "password": "secret" });
    let denied = plugins.validate_step("login-flow/sign-in", &args).await.unwrap_err();
    assert_eq!(denied.code, Code::PluginDenied);
    assert!(denied.remedy.as_ref().unwrap().contains("[requests] grants in its plugin.toml"), "{denied:?}");
    let budget = budget(LONG);
    let ops = Pretended::new(&budget);
    let denied = plugins.run_step("login-flow/sign-in", &args, Arc::clone(&ops) as Arc<_>, &budget).await.unwrap_err();
    assert_eq!(denied.code, Code::PluginDenied);
    assert!(denied.message.contains("input:tap_element"), "{denied:?}");
    assert!(ops.called.lock().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn some_tools_are_open_to_nobody() {
    let plugins = builtin("hostile", "tests/hostile.wasm").await;
    let budget = budget(LONG);
    let ops = Pretended::new(&budget);
    let denied = plugins.run_step("forbidden-tool", &json!({}), Arc::clone(&ops) as Arc<_>, &budget).await.unwrap_err();
    assert_eq!(denied.code, Code::PluginDenied);
    assert!(denied.message.contains("never open to plugins"), "{denied:?}");
    assert!(ops.called.lock().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_the_host_itself_are_not_granted() {
    let dir = tempfile::tempdir().unwrap();
    let cache_dir = dir.path().join("cache");
    std::fs::create_dir_all(dir.path().join("data")).unwrap();
    let folder = plugin(dir.path(), "reader", &guest("tests/all-three.wasm"), &[], |text| {
        text.replace("grants = []", &format!("grants = [\"files:{}\"]", dir.path().join("data").display()))
    });
    let at = |path: &std::path::Path| {
        let grants = granted(&[&format!("files:{}", path.display())]);
        let plugins = BTreeMap::from([("reader".to_owned(), grants)]);
        PluginConfig { dirs: vec![folder.clone()], cache_dir: Some(cache_dir.clone()), plugins, ..config() }
    };
    for bad in [dir.path().to_path_buf(), folder.clone(), cache_dir.join("inner"), "/".into()] {
        let plugins = started(at(&bad)).await;
        assert_eq!(listed(&plugins, "reader")["problem"]["code"], "GRANT_INVALID", "{}", bad.display());
    }
    let plugins = started(at(&dir.path().join("data"))).await;
    assert_eq!(plugins.file_grants("reader/pass"), [dir.path().join("data")]);
}
