//! Plugins that come, go, change and break while the server runs.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::{Folder, dist, journey, shown};
use crate::support::{Bench, Client};

/// A config file that the test writes again.
fn config(folder: &Folder, text: &str) -> PathBuf {
    let path = folder.path().join("config.toml");
    std::fs::write(&path, text).unwrap();
    path
}

/// Plugins are in `plugins`, beside the config.
async fn bench(folder: &Folder, text: &str) -> Bench {
    let (path, plugins) = (config(folder, text), folder.path().join("plugins"));
    let setup = folder.setup("").server(move |server| {
        server.config = None;
        server.plugins = vec![plugins];
        server.args = vec!["--config".into(), path.into()];
    });
    setup.start().await
}

fn names(of: &Value) -> Vec<&str> {
    of.as_array().unwrap().iter().map(|one| one["name"].as_str().or(one.as_str()).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reload_tells_what_came_went_changed_and_broke() {
    let folder = Folder::new();
    for name in ["breaks", "changes", "goes", "granted", "stays"] {
        folder.add_dist(&format!("plugins/{name}"), "tests/all-three.wasm");
        manifest(&folder, name, |text| text.replace(&format!("\"plugins/{name}\""), &format!("{name:?}")));
    }
    let bench = bench(&folder, "").await;
    bench.call("run_journey", journey("goes/pass")).await.succeeded();
    let answer = bench.call("reload_plugins", json!({})).await.succeeded();
    assert_eq!((&answer["kept"], &answer["changed"], &answer["broke"]), (&json!(8), &json!([]), &json!([])));

    std::fs::write(folder.path().join("plugins/breaks/c.wasm"), b"\0asm").unwrap();
    manifest(&folder, "changes", |text| text.replace("1.0.0", "2.0.0"));
    std::fs::remove_dir_all(folder.path().join("plugins/goes")).unwrap();
    folder.add_dist("plugins/comes", "tests/hostile.wasm");
    manifest(&folder, "comes", |text| text.replace("\"plugins/comes\"", "\"comes\""));
    config(&folder, "[plugins.granted]\ngrants = [\"observe\"]\n");
    // Nothing is another plugin's before it is asked for.
    bench.call("run_journey", journey("goes/pass")).await.succeeded();
    assert_eq!(shown(&bench, "changes").await["version"], "1.0.0");

    let answer = bench.call("reload_plugins", json!({})).await.succeeded();
    assert_eq!(names(&answer["came"]), ["comes"], "{:#}", answer.structured);
    assert_eq!(names(&answer["went"]), ["goes"]);
    assert_eq!(names(&answer["changed"]), ["changes", "granted"]);
    assert_eq!(
        answer["/changed/0"],
        json!({ "name": "changes", "version": "2.0.0", "state": "ready", "what": ["manifest"] })
    );
    assert_eq!(answer["/changed/1/what"], json!(["config"]));
    assert_eq!(names(&answer["broke"]), ["breaks"]);
    assert_eq!(answer["/broke/0/problem/code"], "SHA256_MISMATCH");
    assert_eq!(answer["kept"], 4, "three built-in ones, and one that stays");
    assert_eq!(shown(&bench, "granted").await["granted"], json!(["observe"]));
    bench.call("run_journey", journey("stays/pass")).await.succeeded();
    for gone in ["goes/pass", "breaks/pass"] {
        let answer = bench.call("run_journey", journey(gone)).await;
        assert!(answer.is_error, "{:#}", answer.structured);
        assert!(names_the_plugin(&answer.structured, gone.split('/').next().unwrap()), "{:#}", answer.structured);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_config_that_broke_is_named_by_line_and_leaves_everything_as_it_was() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("plugins")).unwrap();
    let bench = bench(&folder, "").await;
    config(&folder, "[android]\n\n[plugins.steps]\ncolour = 1\n");
    let answer = bench.call("reload_plugins", json!({})).await.fine();
    assert_eq!((&answer["success"], &answer["/problem/code"]), (&json!(false), &json!("CONFIG_INVALID")));
    let message = answer["/problem/message"].as_str().unwrap();
    assert!(message.contains("config.toml") && message.contains("line 4") && message.contains("colour"), "{message}");
    assert_eq!(shown(&bench, "steps").await["state"], "ready");
    config(&folder, "[plugins.steps]\nenabled = false\n");
    let answer = bench.call("reload_plugins", json!({})).await.succeeded();
    assert_eq!(answer["/changed/0/state"], "disabled", "{:#}", answer.structured);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_hangup_reloads_too() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("plugins")).unwrap();
    let bench = bench(&folder, "").await;
    bench.client.plugins().await;
    folder.add_dist("plugins/comes", "tests/all-three.wasm");
    manifest(&folder, "comes", |text| text.replace("\"plugins/comes\"", "\"comes\""));
    let pid = rustix::process::Pid::from_raw(bench.client.pid().await.cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::HUP).unwrap();
    let began = std::time::Instant::now();
    while !bench.client.plugins().await.iter().any(|plugin| plugin["name"] == "comes") {
        assert!(began.elapsed() < std::time::Duration::from_secs(30), "it never came");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    bench.call("run_journey", journey("comes/pass")).await.succeeded();
}

/// Each client a server of its own over the same folder, and all of them at work.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_that_vanish_change_and_break_fail_no_request_that_does_not_name_the_plugin() {
    let folder = Folder::new();
    for name in ["changes", "stays"] {
        folder.add_dist(&format!("plugins/{name}"), "tests/all-three.wasm");
        manifest(&folder, name, |text| text.replace(&format!("\"plugins/{name}\""), &format!("{name:?}")));
    }
    let bench = bench(&folder, "").await;
    let clients =
        [&bench.another_client().await, &bench.another_client().await, &bench.another_client().await, &bench.client];
    for client in clients {
        client.plugins().await;
    }
    let over = AtomicBool::new(false);
    let work = |client| work(&bench, client, &over);
    let mischief = async {
        for round in 0..4 {
            for spoil in SPOILS {
                spoil(&folder.path().join("plugins/changes"));
                let reloads = clients.map(|client| client.call("reload_plugins", json!({})));
                for answer in futures::future::join_all(reloads).await {
                    assert_eq!(answer.fine()["success"], true, "round {round}");
                }
            }
        }
        over.store(true, Ordering::Relaxed);
    };
    let (a, b, c, d, ()) =
        tokio::join!(work(clients[0]), work(clients[1]), work(clients[2]), work(clients[3]), mischief);
    for (well, named) in [a, b, c, d] {
        assert!(well > 0, "nothing was done");
        eprintln!("{well} went well, {named} named the plugin");
    }
    bench.call("run_journey", journey("changes/pass")).await.succeeded();
    clients.iter().for_each(|client| client.check_stdout());
}

/// What is done to a plugin's folder, in order; the last makes it whole again.
const SPOILS: [fn(&Path); 7] = [
    |home| std::fs::write(home.join("c.wasm"), b"\0asm\x0d\0\x01\0rubbish").unwrap(),
    |home| std::fs::remove_file(home.join("c.wasm")).unwrap(),
    whole,
    |home| std::fs::write(home.join("plugin.toml"), "name = \"changes\"\nversion = ").unwrap(),
    |home| std::fs::remove_dir_all(home).unwrap(),
    |home| {
        let hostile = std::fs::read(dist("tests/hostile.wasm")).unwrap();
        write(home, &hostile);
    },
    whole,
];

fn whole(home: &Path) {
    write(home, &std::fs::read(dist("tests/all-three.wasm")).unwrap());
}

fn write(home: &Path, wasm: &[u8]) {
    use sha2::Digest as _;
    std::fs::create_dir_all(home).unwrap();
    std::fs::write(home.join("c.wasm"), wasm).unwrap();
    let sha256: String = sha2::Sha256::digest(wasm).iter().map(|byte| format!("{byte:02x}")).collect();
    let text = format!(
        "name = \"changes\"\nversion = \"1\"\ncomponent = \"c.wasm\"\nsha256 = {sha256:?}\nwit = \"handset:plugin@0.1.0\"\n"
    );
    std::fs::write(home.join("plugin.toml"), text).unwrap();
}

fn manifest(folder: &Folder, name: &str, edit: impl Fn(String) -> String) {
    let path = folder.path().join("plugins").join(name).join("plugin.toml");
    std::fs::write(&path, edit(std::fs::read_to_string(&path).unwrap())).unwrap();
}

/// Calls until it is over: how many went well, and how many failed naming the plugin at fault. No other may fail.
async fn work(bench: &Bench, client: &Client, over: &AtomicBool) -> (u32, u32) {
    let (mut well, mut named) = (0, 0);
    while !over.load(Ordering::Relaxed) {
        client.call("run_journey", journey("stays/pass")).await.succeeded();
        let state = client.call("get_readiness", bench.aimed(json!({ "samples": 1 }))).await;
        assert!(!state.is_error, "{:#}", state.structured);
        let answer = client.call("run_journey", journey("changes/pass")).await;
        if answer.is_error || answer["success"] == false {
            assert!(names_the_plugin(&answer.structured, "changes"), "{:#}", answer.structured);
            named += 1;
        } else {
            well += 1;
        }
    }
    (well, named)
}

fn names_the_plugin(answer: &Value, name: &str) -> bool {
    let messages = [&answer["error"]["message"], &answer["steps"][0]["result"]["error"]["message"]];
    messages.iter().any(|message| message.as_str().is_some_and(|text| text.contains(name)))
}
