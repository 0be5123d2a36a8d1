//! What the operator gets wrong at start: said on stderr, with status 2, and never on stdout.

use std::process::{Output, Stdio};

/// `handset serve` with these arguments and nobody to talk to.
fn serve(args: &[&str]) -> Output {
    #[allow(clippy::disallowed_methods, reason = "the tests start the product; the product spawns in one place")]
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_handset"));
    command.arg("serve").args(args).stdin(Stdio::null()).output().unwrap()
}

#[track_caller]
fn assert_told(output: &Output, words: &[&str], case: &str) {
    assert_eq!(output.status.code(), Some(2), "{case}: {output:?}");
    assert!(output.stdout.is_empty(), "{case}: {output:?}");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(words.iter().all(|word| told.contains(word)), "{case}: {words:?}: {told}");
    assert!(!told.contains("panicked"), "{case}: {told}");
}

#[test]
fn arguments_that_cannot_be_followed() {
    assert_told(
        &serve(&["--builtin", "steps=/nowhere/c.wasm"]),
        &["--builtin", "/nowhere/c.wasm"],
        "a missing component",
    );
    assert_told(&serve(&["--builtin", "steps"]), &["--builtin", "NAME=FILE"], "no pair");
    let anything = env!("CARGO_BIN_EXE_handset");
    assert_told(
        &serve(&["--builtin", &format!("nobody={anything}")]),
        &["nobody", "no built-in"],
        "an unknown built-in",
    );
    assert_told(&serve(&["--tools", "obsreve"]), &["obsreve", "observe"], "an unknown group");
    assert_told(&serve(&["--config", "/nowhere/config.toml"]), &["/nowhere/config.toml"], "a missing config");
    assert_told(&serve(&["--no-such-option"]), &["--no-such-option"], "an unknown option");
}

#[test]
fn a_config_that_is_wrong_names_file_line_and_member() {
    let folder = tempfile::tempdir().unwrap();
    for (text, words) in [
        ("[plugins.login-flow]\nenabeld = true\n", &["config.toml", "line 2", "enabeld", "enabled"][..]),
        ("[plugins.login-flow]\ngrants = \"observe\"\n", &["config.toml", "line 2", "grants"]),
        ("plugin_dirs = 5\n", &["config.toml", "line 1"]),
        ("plugin-dirs = []\n", &["config.toml", "plugin-dirs", "plugin_dirs"]),
        ("[android]\nadbb = \"x\"\n", &["config.toml", "adbb"]),
        ("[[[", &["config.toml", "line 1"]),
    ] {
        let path = folder.path().join("config.toml");
        std::fs::write(&path, text).unwrap();
        assert_told(&serve(&["--config", path.to_str().unwrap()]), words, text);
    }
}
