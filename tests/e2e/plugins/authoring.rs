//! What an author runs: a new project in each language, and the cases of a plugin told as a table.

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use super::{Folder, dist};

fn plugin(args: &[&str], home: &Path) -> Output {
    #[allow(clippy::disallowed_methods, reason = "the tests start the product; the product spawns in one place")]
    std::process::Command::new(env!("CARGO_BIN_EXE_handset"))
        .arg("plugin")
        .args(args)
        .env("XDG_CACHE_HOME", home)
        .env("XDG_CONFIG_HOME", home)
        .env("XDG_DATA_HOME", home)
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The example as it is shipped, and cases for it.
fn login(cases: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in ["plugin.toml", "login-flow.wasm"] {
        std::fs::copy(dist(&format!("examples/login-flow/{file}")), folder.path().join(file)).unwrap();
    }
    std::fs::create_dir(folder.path().join("cases")).unwrap();
    for (name, text) in cases {
        std::fs::write(folder.path().join("cases").join(name), text).unwrap();
    }
    folder
}

#[test]
fn a_new_project_holds_what_its_language_builds_and_what_is_tested() {
    let home = tempfile::tempdir().unwrap();
    for (lang, files) in [
        ("rust", ["Cargo.toml", "src/lib.rs", "sdk/wit/plugin.wit", "component/src/main.rs"]),
        ("js", ["package.json", "plugin.js", "handset.js", "wit/plugin.wit"]),
        ("python", ["pyproject.toml", "app.py", "handset.py", "wit/plugin.wit"]),
    ] {
        let dir = home.path().join(lang);
        let made = plugin(&["new", "--kind", "step", "--lang", lang, "tap-it", dir.to_str().unwrap()], home.path());
        assert!(made.status.success(), "{}", said(&made));
        for file in files.iter().chain(&["plugin.toml", "cases/buys.toml", "README.md"]) {
            assert!(dir.join(file).is_file(), "{lang}: {file}");
        }
        // Before it is built there is no component to test, and that is said with what to do.
        let early = plugin(&["test", dir.to_str().unwrap()], home.path());
        assert_eq!(early.status.code(), Some(3), "{}", said(&early));
        assert!(said(&early).contains("handset plugin build"), "{}", said(&early));
    }
}

#[test]
fn cases_drive_the_phone_and_what_comes_out_otherwise_is_told_member_by_member() {
    let good = "step = \"sign-in\"\narguments = { user = \"ada\", password = \"s3cret\" }\nscene = \"login\"\n";
    let folder = login(&[
        ("a-greets.toml", &format!("{good}[expect]\npassed = true\nbody = {{ greeting = \"Welcome, ada\" }}\n")),
        ("b-other.toml", &format!("{good}[expect]\npassed = true\nbody = {{ greeting = \"Welcome, bob\" }}\n")),
        ("c-denied.toml", &format!("grants = [\"observe\"]\n{good}[expect]\nfailure_code = \"PLUGIN_DENIED\"\n")),
        ("d-arguments.toml", "step = \"sign-in\"\nscene = \"login\"\n[expect]\nfailure_code = \"INVALID_ARGUMENT\"\n"),
        ("e-nothing.toml", "step = \"sign-in\"\nscene = \"login\"\n"),
    ]);
    let home = tempfile::tempdir().unwrap();
    let ran = plugin(&["test", "--json", folder.path().to_str().unwrap()], home.path());
    assert_eq!(ran.status.code(), Some(3), "{}", said(&ran));
    let told: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let cases = told["cases"].as_array().unwrap();
    let passed: Vec<bool> = cases.iter().map(|case| case["success"] == json!(true)).collect();
    assert_eq!(passed, [true, false, true, true, false], "{told:#}");
    let wrong = cases[1]["differences"][0].as_str().unwrap();
    assert!(wrong.contains("body.greeting") && wrong.contains("Welcome, ada"), "{told:#}");
    assert!(cases[4]["error"].as_str().unwrap().contains("expect.passed"), "{told:#}");

    let only = plugin(&["test", "--only", "greets", folder.path().to_str().unwrap()], home.path());
    assert!(only.status.success(), "{}", said(&only));
    assert!(said(&only).contains("1 of 1 cases passed"), "{}", said(&only));
}

#[test]
fn a_plugin_that_breaks_is_shown_with_what_it_wrote_last() {
    let folder = Folder::new();
    let home = folder.add_dist("hostile", "tests/hostile.wasm");
    let home = home.path().join("hostile");
    std::fs::create_dir(home.join("cases")).unwrap();
    let case =
        |expect: &str| format!("predicate = \"panic\"\nscreens = [{{ scene = \"login\" }}]\n[expect]\n{expect}\n");
    std::fs::write(home.join("cases/a-meant.toml"), case("fault = \"panicked\"")).unwrap();
    std::fs::write(home.join("cases/b-not.toml"), case("verdict = \"holds\"")).unwrap();
    let cache = tempfile::tempdir().unwrap();
    let ran = plugin(&["test", home.to_str().unwrap()], cache.path());
    let text = said(&ran);
    assert_eq!(ran.status.code(), Some(3), "{text}");
    assert!(text.contains("1 of 2 cases passed"), "{text}");
    assert!(text.contains("expected holds, got fault"), "{text}");
    assert!(text.contains("hostile on purpose"), "{text}");
}
