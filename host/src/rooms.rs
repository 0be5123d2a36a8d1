//! The house's arrows point down: every `use crate::` is read against this table.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::path::Path;

/// A room and the rooms it may use.
const ARROWS: &[(&str, &[&str])] = &[
    ("cli", &["mcp", "tools", "plugin", "adapter", "device", "process", "budget", "request"]),
    ("mcp", &["tools", "action", "request"]),
    ("tools", &["journey", "action", "wait", "plugin", "device", "process", "budget", "clock", "request"]),
    ("journey", &["action", "wait", "plugin", "device", "budget", "request"]),
    ("action", &["wait", "plugin", "device", "process", "budget", "clock", "request"]),
    ("wait", &["plugin", "device", "budget", "request"]),
    ("plugin", &["device", "process", "budget"]),
    ("adapter", &["device", "process", "budget", "clock"]),
    ("device", &["process", "budget", "clock", "request"]),
    ("process", &["budget"]),
    ("request", &[]),
    ("budget", &[]),
    ("clock", &[]),
    ("parsers", &["cli", "mcp", "tools", "journey", "action", "plugin", "adapter", "device", "budget"]),
    ("main", &["cli"]),
    ("lib", &[]),
    ("rooms", &[]),
];

#[test]
fn arrows_point_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut pending = vec![root.clone()];
    let mut broken = Vec::new();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let name = path.strip_prefix(&root).unwrap();
        let room = name.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs").to_owned();
        let Some((_, allowed)) = ARROWS.iter().find(|(known, _)| *known == room) else {
            panic!("{} is in no room of the table", name.display());
        };
        // Tests may look from anywhere.
        let is_test = name.iter().any(|part| part.to_string_lossy().starts_with("tests"));
        for line in std::fs::read_to_string(&path).unwrap().lines().filter(|_| !is_test) {
            let line = line.trim_start();
            if line.starts_with("//") {
                continue;
            }
            for used in line.split("crate::").skip(1).filter(|_| !line.contains("pub(in crate::")) {
                let used: String = used.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                if !used.is_empty() && used != room && !allowed.contains(&used.as_str()) {
                    broken.push(format!("{}: {room} uses {used}: {line}", name.display()));
                }
            }
        }
    }
    assert!(broken.is_empty(), "arrows that point up:\n{}", broken.join("\n"));
}
