//! Parsers of what `adb` and Android's own commands print. Total: any bytes in, a value or a typed failure out.

mod activities;
mod adb;
mod devices;
mod dump;
mod input;
mod install;
mod keys;
mod launch;
mod manage;
mod probe;
mod screen;
mod screenshot;
mod trace;
mod windows;

pub use activities::{Activities, ActivityEntry, ProcessEntry, TaskEntry, parse_activities};
pub use adb::classify_adb_error;
pub use devices::{DeviceState, ListedDevice, parse_devices, state_remedy};
pub use dump::classify_dump_error;
pub use input::classify_input;
pub use install::{InstallEnd, REASONS, parse_install, remedy_of};
pub use keys::{key_code, key_names};
pub use launch::{StartResult, parse_am_start, parse_resolved_activity};
pub use manage::{DeviceUser, Managing, classify_managing, parse_console, parse_users};
pub use probe::{ProcessRecord, ProcessState, parse_process_records, parse_process_states};
pub use screen::{
    ScreenState, parse_field_focused, parse_getprop, parse_keyboard_shown, parse_resumed_activity, parse_screen_state,
    parse_wm_size,
};
pub use screenshot::{parse_display_ids, parse_displays_on, parse_screencap};
pub use windows::{DisplayEntry, WindowEntry, Windows, parse_windows};

use screen::flag;

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

/// A capture that is not what it should be, by what it says itself where that explains it.
pub(crate) fn no_capture(kind: &str, commands: &str, text: &str) -> Failure {
    if let Some(failure) = classify_adb_error(text) {
        return failure;
    }
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    const REFUSALS: [&str; 4] = ["Permission Denial", "Can't find service", "can't dump", "DUMP TIMEOUT"];
    if let Some(line) = lines().find(|line| REFUSALS.iter().any(|words| line.contains(words))) {
        let message = format!("this needs a service that answers; it said {:?}", quoted(line));
        return Failure::new(crate::Code::Unsupported, message);
    }
    let message = match lines().next() {
        None => format!("this is no {kind}: it is empty"),
        Some(line) => format!("this is no {kind}; it begins with {:?}", quoted(line)),
    };
    Failure::argument("FILE", message).with_remedy(format!("Pass what {commands} prints."))
}
