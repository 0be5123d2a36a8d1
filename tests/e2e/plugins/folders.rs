//! Plugin folders with something wrong: each is named, with what and what to do, and everything else works.

use serde_json::{Value, json};

use super::{Folder, dist, journey, provided, shown};

/// The smallest core module.
const CORE_MODULE: &[u8] = b"\0asm\x01\0\0\0";

/// A problem as listed: the code, words of the message, and a remedy.
#[track_caller]
fn assert_problem(plugin: &Value, code: &str, words: &[&str]) {
    assert_eq!((&plugin["state"], &plugin["problem"]["code"]), (&json!("refused"), &json!(code)), "{plugin:#}");
    let message = plugin["problem"]["message"].as_str().unwrap();
    assert!(words.iter().all(|word| message.contains(word)), "{words:?}: {message}");
    assert!(plugin["problem"]["remedy"].as_str().is_some_and(|remedy| remedy.len() > 10), "{plugin:#}");
    assert_eq!((&plugin["provides"], &plugin["granted"]), (&Value::Null, &json!([])), "{plugin:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_problem_is_named_while_everything_else_works() {
    let folder = Folder::new();
    let good = std::fs::read(dist("tests/all-three.wasm")).unwrap();
    folder.add("all-three", &good, |_| {});
    folder.add("wrong-digest", &good, |manifest| manifest.sha256 = "0".repeat(64));
    folder.add("no-digest", &good, |manifest| manifest.sha256 = "ABC".to_owned());
    folder.add("newer-door", &good, |manifest| manifest.wit = "handset:plugin@0.2.0".to_owned());
    folder.add("other-door", &good, |manifest| manifest.wit = "someone:else@0.1.0".to_owned());
    folder.add("text", b"hello, I am no component", |_| {});
    folder.add("nothing", b"", |_| {});
    folder.add("cut", &good[..good.len() / 2], |_| {});
    folder.add("core-module", CORE_MODULE, |_| {});
    folder.add("missing-file", &good, |manifest| manifest.component = "d.wasm".to_owned());
    folder.add("outside", &good, |manifest| manifest.component = "../all-three/c.wasm".to_owned());
    folder.add("absolute", &good, |manifest| manifest.component = "/etc/hostname".to_owned());
    folder.add("z-duplicate", &good, |manifest| manifest.name = "all-three".to_owned());
    folder.add("z-builtin", &good, |manifest| manifest.name = "steps".to_owned());
    folder.add("bad-name", &good, |manifest| manifest.name = "Bad_Name".to_owned());
    folder.add("unknown-member", &good, |manifest| manifest.more = "colour = \"red\"".to_owned());
    folder.add("bad-grant", &good, |manifest| manifest.grants = vec!["everything".to_owned()]);
    folder.add("never-grant", &good, |manifest| manifest.grants = vec!["input:run_journey".to_owned()]);
    folder.add("no-toml", &good, |_| {});
    std::fs::write(folder.path().join("no-toml/plugin.toml"), "name = \"no-toml\nversion").unwrap();
    folder.add("bytes", &good, |_| {});
    std::fs::write(folder.path().join("bytes/plugin.toml"), [0xff, 0xfe, 0]).unwrap();
    folder.add_dist("hangs", "tests/describe-hangs.wasm");
    folder.add_dist("flood", "tests/table-flood.wasm");
    std::fs::create_dir(folder.path().join("no-plugin-at-all")).unwrap();

    let bench = folder.bench("").await;
    for (name, code, words) in [
        ("wrong-digest", "SHA256_MISMATCH", &["wrong-digest/plugin.toml", "sha256", "c.wasm"][..]),
        ("no-digest", "MANIFEST_INVALID", &["no-digest/plugin.toml", "sha256"]),
        ("newer-door", "WIT_UNSUPPORTED", &["handset:plugin@0.2.0", "handset:plugin@0.1.0"]),
        ("other-door", "WIT_UNSUPPORTED", &["someone:else@0.1.0", "handset:plugin@0.1.0"]),
        ("text", "NOT_A_COMPONENT", &["c.wasm"]),
        ("nothing", "NOT_A_COMPONENT", &["c.wasm"]),
        ("core-module", "CORE_MODULE", &["c.wasm"]),
        ("missing-file", "UNREADABLE", &["d.wasm"]),
        ("outside", "MANIFEST_INVALID", &["component", "inside"]),
        ("absolute", "MANIFEST_INVALID", &["component", "inside"]),
        ("Bad_Name", "NAME_INVALID", &["bad-name/plugin.toml", "Bad_Name"]),
        ("unknown-member", "MANIFEST_INVALID", &["unknown-member/plugin.toml", "colour"]),
        ("bad-grant", "GRANT_INVALID", &["bad-grant/plugin.toml", "everything"]),
        ("never-grant", "GRANT_INVALID", &["run_journey", "never"]),
        ("no-toml", "MANIFEST_INVALID", &["no-toml/plugin.toml"]),
        ("bytes", "MANIFEST_INVALID", &["bytes/plugin.toml", "UTF-8"]),
        ("hangs", "PLUGIN_FAULT", &["step.steps", "deadline", "250 ms"]),
        ("flood", "PLUGIN_FAULT", &["memory", "64 MiB"]),
    ] {
        assert_problem(&shown(&bench, name).await, code, words);
    }
    let cut = shown(&bench, "cut").await;
    assert!(["NOT_A_COMPONENT", "COMPILE_FAILED"].contains(&cut["problem"]["code"].as_str().unwrap()), "{cut:#}");

    let listed = bench.call("list_plugins", json!({ "detail": true })).await.fine();
    let named = |name: &str| {
        listed["plugins"].as_array().unwrap().iter().filter(|one| one["name"] == name).cloned().collect::<Vec<_>>()
    };
    for taken in ["all-three", "steps"] {
        let [first, second] = &named(taken)[..] else { panic!("{:#}", listed.structured) };
        assert_eq!(first["state"], "ready", "the first keeps the name");
        assert_problem(second, "NAME_DUPLICATE", &["z-", "taken"]);
    }
    assert!(named("no-plugin-at-all").is_empty());
    assert_eq!(listed["plugins"].as_array().unwrap().len(), 3 + 1 + 2 + 19);

    let answer =
        bench.call("run_journey", journey("hangs/anything")).await.refused("PLUGIN_FAULT", Some("steps[0].type"));
    assert!(answer["/error/message"].as_str().unwrap().contains("refused"), "{:#}", answer.structured);
    bench.call("run_journey", journey("all-three/pass")).await.succeeded();
    bench.call("wait_for_readiness", json!({})).await.succeeded();
    for name in ["wrong-digest", "hangs"] {
        assert!(bench.client.stderr().contains(name), "the log names {name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_component_may_have_all_three_interfaces() {
    let folder = Folder::new();
    folder.add_dist("all-three", "tests/all-three.wasm");
    let bench = folder.bench("").await;
    let plugin = shown(&bench, "all-three").await;
    assert_eq!(provided(&plugin, "steps"), ["all-three/pass"]);
    assert_eq!(provided(&plugin, "predicates"), ["all-three/hold"]);
    assert_eq!(provided(&plugin, "classifiers"), ["all-three/shrug"]);

    let mark = bench.mark();
    let answer = bench.call("run_journey", journey("all-three/pass")).await.succeeded();
    assert_eq!(answer["/steps/0/result/plugin/name"], "all-three");
    mark.no_input("pass");
    let tap = bench.aimed(
        json!({ "x": 540, "y": 300, "verificationMode": "none", "precondition": { "predicate": "all-three/hold" } }),
    );
    let answer = bench.call("tap", tap).await.succeeded();
    assert_eq!(
        (&answer["/checks/0/predicate"], &answer["/checks/0/verdict"]),
        (&json!("all-three/hold"), &json!("holds"))
    );
    mark.one_input("tap", "a predicate that holds");
    let answer = bench.call("get_readiness", json!({})).await.fine();
    assert!(
        answer["/readiness/classifiers"]
            .as_array()
            .unwrap()
            .contains(&json!({ "name": "all-three/shrug", "state": "unknown" }))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_built_ins_are_listed_with_what_they_take() {
    let folder = Folder::new();
    let bench = folder.bench("").await;
    let [conditions, readiness, steps] =
        [shown(&bench, "conditions").await, shown(&bench, "readiness").await, shown(&bench, "steps").await];
    assert_eq!(provided(&conditions, "predicates"), ["snapshot", "element-visible", "element-state", "text-present"]);
    assert_eq!(
        provided(&readiness, "classifiers"),
        ["debugger", "anr", "native-progress", "loading-label", "stability"]
    );
    assert_eq!(
        provided(&steps, "steps"),
        [
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
            "wait_for_readiness"
        ]
    );
    for plugin in [conditions, readiness, steps] {
        assert_eq!((&plugin["built_in"], &plugin["state"]), (&json!(true), &json!("ready")));
        for kind in ["steps", "predicates", "classifiers"] {
            for one in plugin["provides"][kind].as_array().unwrap() {
                assert!(one["summary"].as_str().is_some_and(|summary| summary.len() > 10), "{one:#}");
                assert!(kind == "classifiers" || one["schema"]["type"] == "object", "{one:#}");
            }
        }
    }
}
