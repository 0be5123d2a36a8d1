//! Every parser of the host under a thousand inputs that nobody meant for it, and each of the product's with its fuzz target.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeSet;
use std::path::Path;

use super::{Promise, all, try_with};

#[path = "../../../tests/inputs/mod.rs"]
mod inputs;

use inputs::{try_each, try_parser};

fn promise(name: &str) -> Promise {
    all().find(|(known, _)| *known == name).unwrap().1
}

try_each! { promise =>
    shell_reply input_said app_id managing_words launcher_output device_facts adb_said typed_text element_id plugin_manifest plugin_grant
    plugin_schema plugin_arguments plugin_text plugin_name cache_entry tool_arguments tool_name config_toml tools_profile
    journey_plan precondition rpc_lines
}

#[test]
fn plugin_component() {
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins/dist/tests");
    let guest = std::fs::read(dist.join("describe-hangs.wasm")).unwrap();
    // Each that is still whole is compiled, which takes a hundred times what a refusal takes.
    let small = b"\0asm\x0d\0\x01\0".to_vec();
    inputs::try_with(
        "plugin_component",
        promise("plugin_component"),
        std::slice::from_ref(&small),
        &[small.clone(), guest],
    );
}

#[test]
fn no_parser_is_left_out() {
    let elsewhere = handset_model::parsers::PARSERS.iter().chain(simphone::parsers::PARSERS).map(|(name, _)| *name);
    let tried: BTreeSet<&str> = TRIED.iter().copied().chain(["plugin_component"]).chain(elsewhere).collect();
    let known: Vec<&str> = all().map(|(name, _)| name).collect();
    assert_eq!(known.len(), tried.len(), "two parsers of one name, or one that is not tried");
    assert_eq!(known.into_iter().collect::<BTreeSet<_>>(), tried);
}

#[test]
fn every_parser_has_a_fuzz_target_of_its_name() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let manifest: toml::Table = std::fs::read_to_string(fuzz.join("Cargo.toml")).unwrap().parse().unwrap();
    let targets: BTreeSet<String> =
        manifest["bin"].as_array().unwrap().iter().map(|bin| bin["name"].as_str().unwrap().to_owned()).collect();
    assert_eq!(targets, all().map(|(name, _)| name.to_owned()).collect());
    for name in targets {
        let text = std::fs::read_to_string(fuzz.join(format!("fuzz_targets/{name}.rs"))).unwrap();
        assert!(
            text.contains(&format!("handset_fuzz::keeps(\"{name}\", data)")),
            "{name} tries another parser: {text}"
        );
    }
}

#[test]
fn a_parser_that_does_not_exist_keeps_nothing() {
    assert!(try_with("nobody", b"").is_err());
}

#[test]
fn a_name_of_any_length_is_compared_and_refused_in_a_sentence() {
    let long = "tap_element".repeat(30_000);
    assert!(!try_with("tool_name", long.as_bytes()).unwrap());
    assert!(!try_with("tool_arguments", format!("tap\n{{\"{long}\":1}}").as_bytes()).unwrap());
    assert!(!try_with("app_id", long.as_bytes()).unwrap());
    assert!(!try_with("element_id", long.as_bytes()).unwrap());
    assert!(!try_with("plugin_grant", long.as_bytes()).unwrap());
    assert!(!try_with("tools_profile", long.as_bytes()).unwrap());
}

#[test]
fn a_device_that_says_the_mark_of_a_stroke_for_ever_is_read_in_one_pass() {
    assert!(!try_with("input_said", &b"handset:stroke:".repeat(250_000)).unwrap());
}
