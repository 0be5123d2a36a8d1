//! A thousand random and damaged inputs for each parser, and the same ones again: what a failure needs to be repeated is
//! in its message. Included by the tests of several packages, and by `fuzz/` for its first inputs.
//!
//! `HANDSET_SEED=N` tries other inputs, `HANDSET_INPUTS=N` more or fewer of them, `HANDSET_INPUT=N` only that one.
#![allow(dead_code, clippy::unwrap_used, clippy::panic, reason = "shared by tests, each of which uses a part")]

mod examples;
mod mutate;
mod shapes;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) use examples::{of as examples, seeds};
pub(crate) use mutate::Rng;

/// Takes any bytes. `Ok` says whether they were something; `Err` names a promise that was not kept.
pub(crate) type Promise = fn(&[u8]) -> Result<bool, String>;

/// Inputs per parser.
const INPUTS: u64 = 1_000;
/// No input is longer, but for the shapes.
const LONGEST: usize = 32 << 10;
/// Seconds of one core for one shape: a hundred times what a linear parser takes in a debug build.
const SLOW: f64 = 20.0;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{variable}={text} is no number")))
}

/// The seed of all inputs: fixed, so that two runs try the same.
pub(crate) fn seed() -> u64 {
    number("HANDSET_SEED").unwrap_or(20_261_130)
}

/// A test for each parser named, whose promise `$promise` gives, and `TRIED`, their names.
macro_rules! try_each {
    ($promise:expr => $($name:ident)*) => {
        $(#[test]
        fn $name() {
            try_parser(stringify!($name), $promise(stringify!($name)));
        })*

        const TRIED: &[&str] = &[$(stringify!($name)),*];
    };
}
pub(crate) use try_each;

/// Examples are taken, a thousand inputs made of them and of nothing keep every promise, and no shape takes long.
pub(crate) fn try_parser(name: &str, promise: Promise) {
    try_with(name, promise, &examples(name), &seeds(name));
}

/// As [`try_parser`], with examples of the caller's.
pub(crate) fn try_with(name: &str, promise: Promise, examples: &[Vec<u8>], seeds: &[Vec<u8>]) {
    assert!(!examples.is_empty(), "{name} has no examples");
    for example in examples {
        let taken = tried(name, promise, example, "an example");
        assert!(taken, "{name} does not take its example {}", shown(example));
    }
    let only = number("HANDSET_INPUT");
    let all = 0..number("HANDSET_INPUTS").unwrap_or(INPUTS);
    let mut taken = 0;
    for number in all.clone().filter(|number| only.is_none_or(|only| only == *number)) {
        let mut rng = Rng::of(seed(), name, number);
        let input = mutate::input(&mut rng, seeds, LONGEST);
        let which = format!("HANDSET_SEED={} HANDSET_INPUT={number}", seed());
        taken += u64::from(tried(name, promise, &input, &which));
    }
    // Inputs that are all refused would try nothing but the refusal.
    assert!(only.is_some() || taken > 0, "{name} took none of {} inputs", all.end);
    for (shape, input) in shapes::of(name, examples) {
        let before = busy();
        tried(name, promise, &input, &format!("the shape {shape}"));
        let took = busy() - before;
        assert!(took < SLOW, "{name} takes {took:.1} s for {} bytes of the shape {shape}", input.len());
    }
}

fn tried(name: &str, promise: Promise, input: &[u8], which: &str) -> bool {
    match catch_unwind(AssertUnwindSafe(|| promise(input))) {
        Ok(Ok(taken)) => taken,
        Ok(Err(broken)) => {
            let broken: String = broken.chars().take(2_000).collect();
            panic!("{name}, {which}: {broken}\nfor {}", shown(input))
        }
        Err(_) => panic!("{name} panicked, {which}\nfor {}", shown(input)),
    }
}

/// Bytes as a Rust byte string, cut where they are long.
fn shown(input: &[u8]) -> String {
    let start = input.get(..1_500).unwrap_or(input);
    let rest = input.len() - start.len();
    let more = if rest > 0 { format!(" and {rest} bytes more") } else { String::new() };
    format!("b\"{}\"{more}", start.escape_ascii())
}

/// Seconds that this thread has spent on a core, where the system tells: others' work is not ours to measure.
fn busy() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    match stat.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()) {
        Some(ns) => ns / 1e9,
        None => {
            static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
            START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
        }
    }
}
