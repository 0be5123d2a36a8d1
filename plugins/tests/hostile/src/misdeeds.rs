//! What any call can do wrong.

use handset_plugin::{log, settings};
use std::hint::black_box;

use crate::stdout;

/// The misdeeds every interface offers.
pub const COMMON: &[&str] = &[
    "spin",
    "recursion",
    "memory",
    "table",
    "huge-string",
    "huge-argument",
    "large-string",
    "log-flood",
    "panic",
    "print",
    "print-flood",
    "long-reason",
];

const MIB: usize = 1 << 20;

/// What the operator's settings make of this plugin.
#[derive(Default, serde::Deserialize)]
struct Settings {
    /// The one interface that provides anything.
    kind: Option<String>,
    /// The one thing it provides.
    only: Option<String>,
    /// The misdeed it commits while it is asked what it provides.
    describe: Option<String>,
}

unsafe extern "C" {
    /// Grows the function table by null entries: see `build.rs`.
    #[link_name = "grow_table"]
    fn grow_table_by(entries: u32) -> i32;
}

fn grow_table(entries: u32) -> i32 {
    // SAFETY: it adds entries at the table's end and touches nothing else.
    unsafe { grow_table_by(entries) }
}

/// What an interface says it provides: [`COMMON`] and its own.
pub fn provided(kind: &str, own: &[&'static str]) -> Vec<&'static str> {
    let settings: Settings = settings().unwrap_or_default();
    if settings.kind.as_deref().is_some_and(|only| only != kind) {
        return Vec::new();
    }
    commit(settings.describe.as_deref().unwrap_or_default());
    let names = COMMON.iter().chain(own).copied();
    names
        .filter(|name| settings.only.as_deref().is_none_or(|only| only == *name))
        .collect()
}

/// Commits a misdeed, when it is one that needs no interface. Most never return.
pub fn commit(name: &str) {
    match name {
        "spin" => loop {
            std::hint::spin_loop();
        },
        "recursion" => {
            black_box(deeper(black_box(0)));
        }
        "memory" => {
            let mut held: Vec<Vec<u8>> = Vec::new();
            loop {
                held.push(black_box(vec![1; MIB]));
            }
        }
        "table" => loop {
            grow_table(1 << 16);
        },
        "huge-argument" => log::info(text("huge-string")),
        "log-flood" => loop {
            log::info("flood ".repeat(100));
        },
        "print" => {
            for id in 0..1_000 {
                stdout::write(&format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n"
                ));
            }
        }
        "print-flood" => loop {
            stdout::write("flood ");
        },
        "panic" => panic!("hostile on purpose"),
        _ => {}
    }
}

/// The text a misdeed answers with: 100 MB (past the memory limit), 40 MiB (within it), or 1 MiB.
pub fn text(name: &str) -> String {
    match name {
        "huge-string" => "x".repeat(100_000_000),
        "large-string" => "x".repeat(40 * MIB),
        "long-reason" => "r".repeat(MIB),
        _ => name.to_owned(),
    }
}

#[inline(never)]
fn deeper(depth: u64) -> u64 {
    let here = black_box([depth; 64]);
    if black_box(depth) == u64::MAX {
        return depth;
    }
    black_box(deeper(depth + 1)) + here[usize::from(depth.to_le_bytes()[0] % 64)]
}
