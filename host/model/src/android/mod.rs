//! Parsers of what `adb` and Android's own commands print. Total: any bytes in, a value or a typed failure out.

mod adb;
mod devices;
mod dump;
mod input;
mod launch;
mod screen;
mod trace;

pub use adb::classify_adb_error;
pub use devices::{DeviceState, ListedDevice, parse_devices, state_remedy};
pub use dump::classify_dump_error;
pub use input::classify_input;
pub use launch::{StartResult, parse_am_start, parse_resolved_activity};
pub use screen::{
    ScreenState, parse_getprop, parse_keyboard_shown, parse_resumed_activity, parse_screen_state, parse_wm_size,
};

use crate::Failure;

/// An input or a start that the device did not accept.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Why, in the device's own words.
    pub failure: Failure,
    /// It is known to have had no effect at all.
    pub nothing_done: bool,
}

/// How much of a device's own words goes into a message.
const MAX_QUOTED: usize = 200;

/// The device's own words, on one line and cut.
fn quoted(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

/// Quotes one word for the device's shell (mksh): the one function that does.
///
/// Inside single quotes a POSIX shell interprets nothing; a single quote itself ends them, is written
/// escaped, and begins them again. A NUL cannot be in an argument at all: callers refuse it first.
#[must_use]
pub fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
