//! What is wrong with a plugin's folder is said, typed, and the server goes on.

use serde_json::json;

use super::support::{config, granted, guest, listed, plugin, started};
use crate::plugin::{Builtins, PluginConfig};

struct Case {
    name: &'static str,
    code: &'static str,
    says: &'static str,
    edit: fn(String) -> String,
}

const CASES: &[Case] = &[
    Case {
        name: "broken-toml",
        code: "MANIFEST_INVALID",
        says: "plugin.toml:3:",
        edit: |text| text.replace("component = ", "component "),
    },
    Case {
        name: "unknown-member",
        code: "MANIFEST_INVALID",
        says: "unknown field `colour`",
        edit: |text| format!("colour = 1\n{text}"),
    },
    Case {
        name: "missing-member",
        code: "MANIFEST_INVALID",
        says: "missing field `version`",
        edit: |text| text.replace("version = \"1.0.0\"\n", ""),
    },
    Case {
        name: "unknown-limit",
        code: "MANIFEST_INVALID",
        says: "unknown field `cpu`",
        edit: |text| format!("{text}[limits]\ncpu = 1\n"),
    },
    Case {
        name: "large-limit",
        code: "LIMIT_INVALID",
        says: "limits.memory_mib",
        edit: |text| format!("{text}[limits]\nmemory_mib = 5000\n"),
    },
    Case {
        name: "bad-name",
        code: "NAME_INVALID",
        says: "Bad_Name",
        edit: |text| text.replace("\"bad-name\"", "\"Bad_Name\""),
    },
    Case { name: "empty-version", code: "MANIFEST_INVALID", says: "version", edit: |text| text.replace("1.0.0", "") },
    Case {
        name: "wrong-sha",
        code: "SHA256_MISMATCH",
        says: "the manifest says 0000",
        edit: |text| with_sha(&text, &"0".repeat(64)),
    },
    Case { name: "short-sha", code: "MANIFEST_INVALID", says: "sha256", edit: |text| with_sha(&text, "abc") },
    Case {
        name: "newer-wit",
        code: "WIT_UNSUPPORTED",
        says: "this host opens handset:plugin@0.1.0",
        edit: |text| text.replace("@0.1.0", "@0.2.0"),
    },
    Case {
        name: "other-wit",
        code: "WIT_UNSUPPORTED",
        says: "something else",
        edit: |text| text.replace("handset:plugin@0.1.0", "something else"),
    },
    Case {
        name: "no-file",
        code: "UNREADABLE",
        says: "gone.wasm",
        edit: |text| text.replace("guest.wasm", "gone.wasm"),
    },
    Case {
        name: "outside",
        code: "MANIFEST_INVALID",
        says: "inside the plugin's folder",
        edit: |text| text.replace("guest.wasm", "../guest.wasm"),
    },
    Case {
        name: "absolute",
        code: "MANIFEST_INVALID",
        says: "inside the plugin's folder",
        edit: |text| text.replace("guest.wasm", "/etc/hostname"),
    },
    Case {
        name: "bad-grant",
        code: "GRANT_INVALID",
        says: "\"input\" names no tool",
        edit: |text| text.replace("grants = []", "grants = [\"input\"]"),
    },
    Case {
        name: "wrong-group",
        code: "GRANT_INVALID",
        says: "belongs to \"input:swipe\"",
        edit: |text| text.replace("grants = []", "grants = [\"lifecycle:swipe\"]"),
    },
    Case {
        name: "never",
        code: "GRANT_INVALID",
        says: "never open to plugins",
        edit: |text| text.replace("grants = []", "grants = [\"lifecycle:install_app\"]"),
    },
    Case {
        name: "no-tool",
        code: "GRANT_INVALID",
        says: "there is no tool \"tapp\"",
        edit: |text| text.replace("grants = []", "grants = [\"input:tapp\"]"),
    },
];

fn with_sha(text: &str, sha: &str) -> String {
    let lines = text
        .lines()
        .map(|line| if line.starts_with("sha256") { format!("sha256 = \"{sha}\"\n") } else { format!("{line}\n") });
    lines.collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_problem_is_typed_and_the_good_one_beside_them_works() {
    let dir = tempfile::tempdir().unwrap();
    let good = guest("tests/all-three.wasm");
    for case in CASES {
        plugin(dir.path(), case.name, &good, &[], case.edit);
    }
    plugin(dir.path(), "good", &good, &[], |text| text);
    plugin(dir.path(), "text", b"no wasm at all", &[], |text| text);
    plugin(dir.path(), "module", b"\0asm\x01\0\0\0", &[], |text| text);
    plugin(dir.path(), "empty", b"\0asm\x0d\0\x01\0", &[], |text| text);
    plugin(dir.path(), "broken", b"\0asm\x0d\0\x01\0\xff\xff\xff", &[], |text| text);
    std::fs::create_dir(dir.path().join("not-a-plugin")).unwrap();
    let plugins = started(PluginConfig { dirs: vec![dir.path().into(), "/nonexistent".into()], ..config() }).await;
    for case in CASES {
        let name = if case.name == "bad-name" { "Bad_Name" } else { case.name };
        assert_problem(&listed(&plugins, name), case.code, case.says);
    }
    for (name, code, says) in [
        ("text", "NOT_A_COMPONENT", "not WebAssembly"),
        ("module", "CORE_MODULE", "a core module"),
        ("empty", "NO_EXPORTS", "none of readiness, condition and step"),
        ("broken", "COMPILE_FAILED", "broken"),
    ] {
        assert_problem(&listed(&plugins, name), code, says);
    }
    assert_eq!(listed(&plugins, "good")["state"], "ready");
    let refused = plugins.validate_step("wrong-sha/pass", &json!({})).await.unwrap_err();
    assert!(refused.message.contains("was refused") && refused.message.contains("sha256"), "{}", refused.message);
}

fn assert_problem(entry: &serde_json::Value, code: &str, says: &str) {
    assert_eq!((&entry["state"], &entry["problem"]["code"]), (&json!("refused"), &json!(code)), "{entry:#}");
    assert!(entry["problem"]["message"].as_str().unwrap().contains(says), "{entry:#}");
    assert!(!entry["problem"]["remedy"].as_str().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_plugin_of_a_name_is_refused_loudly() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let wasm = guest("tests/all-three.wasm");
    plugin(one.path(), "twin", &wasm, &[], |text| text);
    plugin(two.path(), "twin", &wasm, &[], |text| text);
    plugin(two.path(), "steps", &wasm, &[], |text| text);
    let builtins = Builtins::none().replace("steps", wasm.clone());
    let plugins = started(PluginConfig {
        builtins,
        dirs: vec![one.path().into(), two.path().into(), one.path().join("twin")],
        ..config()
    })
    .await;
    let list = plugins.list();
    let of =
        |name: &str| list.as_array().unwrap().iter().filter(|entry| entry["name"] == name).cloned().collect::<Vec<_>>();
    for name in ["twin", "steps"] {
        let entries = of(name);
        assert_eq!(entries.len(), 2, "{list:#}");
        assert_eq!(entries[0]["state"], "ready");
        assert_problem(&entries[1], "NAME_DUPLICATE", &format!("the name {name} is taken already"));
    }
    assert!(plugins.step_type("twin/pass").is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_operator_may_leave_a_plugin_out_or_bound_it() {
    let dir = tempfile::tempdir().unwrap();
    let wasm = guest("tests/all-three.wasm");
    for name in ["left-out", "bounded", "misbounded", "misgranted"] {
        plugin(dir.path(), name, &wasm, &[], |text| text);
    }
    let mut bounded = granted(&[]);
    bounded.limits.memory_mib = Some(1);
    let mut misbounded = granted(&[]);
    misbounded.limits.memory_mib = Some(0);
    let mut left_out = granted(&[]);
    left_out.enabled = Some(false);
    let plugins = [
        ("left-out", left_out),
        ("bounded", bounded),
        ("misbounded", misbounded),
        ("misgranted", granted(&["everything"])),
    ];
    let plugins = plugins.into_iter().map(|(name, settings)| (name.to_owned(), settings)).collect();
    let plugins = started(PluginConfig { dirs: vec![dir.path().into()], plugins, ..config() }).await;
    assert_eq!(listed(&plugins, "left-out")["state"], "disabled");
    let disabled = plugins.step_type("left-out/pass").unwrap_err();
    assert!(disabled.message.contains("disabled"), "{}", disabled.message);
    // One MiB is less than the guest starts with.
    assert_problem(&listed(&plugins, "bounded"), "PLUGIN_FAULT", "its limit is 1 MiB");
    assert_problem(&listed(&plugins, "misbounded"), "LIMIT_INVALID", "[plugins.misbounded.limits] memory_mib");
    assert_problem(&listed(&plugins, "misgranted"), "GRANT_INVALID", "[plugins.misgranted] grants");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_plugin_is_swapped_and_an_unchanged_one_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    plugin(dir.path(), "changes", &guest("tests/all-three.wasm"), &[], |text| text);
    plugin(dir.path(), "stays", &guest("tests/all-three.wasm"), &[], |text| text);
    let plugins = started(PluginConfig { dirs: vec![dir.path().into()], ..config() }).await;
    let kept = plugins.set().iter().find(|entry| &*entry.name == "stays").unwrap().ready().unwrap();
    plugin(dir.path(), "changes", &guest("tests/hostile.wasm"), &["observe"], |text| text);
    plugin(dir.path(), "comes", &guest("tests/all-three.wasm"), &[], |text| text);
    let told = plugins.reload().await.unwrap();
    let came = json!([{ "name": "comes", "version": "1.0.0", "state": "ready" }]);
    let changed =
        json!([{ "name": "changes", "version": "1.0.0", "state": "ready", "what": ["component", "manifest"] }]);
    assert_eq!((json!(told.came), json!(told.changed), told.kept), (came, changed, 1), "{told:?}");
    assert!(told.went.is_empty() && told.broke.is_empty(), "{told:?}");
    assert!(plugins.step_type("changes/pass").is_err());
    assert!(plugins.step_type("changes/two-reads").is_ok());
    assert!(plugins.step_type("comes/pass").is_ok());
    let now = plugins.set().iter().find(|entry| &*entry.name == "stays").unwrap().ready().unwrap();
    assert!(std::sync::Arc::ptr_eq(&kept, &now));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_operators_choices_are_read_again_and_a_config_that_cannot_be_read_changes_nothing() {
    use std::sync::{Arc, Mutex};
    let dir = tempfile::tempdir().unwrap();
    plugin(dir.path(), "one", &guest("tests/all-three.wasm"), &["observe"], |text| text);
    let choices = crate::plugin::Choices { dirs: vec![dir.path().into()], ..Default::default() };
    let said = Arc::new(Mutex::new(Ok(choices.clone())));
    let says = Arc::clone(&said);
    let reread: crate::plugin::Reread = Arc::new(move || says.lock().unwrap().clone());
    let builtins = crate::plugin::Builtins::none().replace("all", guest("tests/all-three.wasm"));
    let plugins =
        started(PluginConfig { dirs: choices.dirs.clone(), reread: Some(reread), builtins, ..config() }).await;
    assert_eq!(listed(&plugins, "one")["granted"], json!([]));

    *said.lock().unwrap() = Err("config.toml:3: plugins.one.grants: a list is expected".to_owned());
    assert_eq!(plugins.reload().await.unwrap_err(), "config.toml:3: plugins.one.grants: a list is expected");
    assert_eq!(listed(&plugins, "one")["state"], "ready");

    let mut off = granted(&[]);
    off.enabled = Some(false);
    let given = [("one".to_owned(), granted(&["observe"])), ("all".to_owned(), off)].into();
    *said.lock().unwrap() = Ok(crate::plugin::Choices { plugins: given, ..choices });
    let told = plugins.reload().await.unwrap();
    assert_eq!(listed(&plugins, "one")["granted"], json!(["observe"]));
    assert_eq!(listed(&plugins, "all")["state"], "disabled", "what is built in is asked again too");
    let what: Vec<_> = told.changed.iter().map(|one| (&one["name"], &one["what"])).collect();
    assert_eq!(what, [(&json!("all"), &json!(["config"])), (&json!("one"), &json!(["config"]))]);

    *said.lock().unwrap() = Ok(crate::plugin::Choices::default());
    let told = plugins.reload().await.unwrap();
    assert_eq!(told.went, [json!("one")], "its folder is none of ours any more");
    assert_eq!(listed(&plugins, "all")["state"], "ready");
}
