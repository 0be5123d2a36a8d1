//! What any call can do wrong.

use handset_plugin::log;
use std::hint::black_box;

/// The misdeeds every interface offers.
pub const COMMON: &[&str] = &[
    "spin",
    "recursion",
    "memory",
    "huge-string",
    "large-string",
    "log-flood",
    "panic",
    "long-reason",
];

const MIB: usize = 1 << 20;

/// Commits a misdeed, when it is one of those that never return.
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
        "log-flood" => loop {
            log::info("flood ".repeat(100));
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
