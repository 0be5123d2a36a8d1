//! Every parser of this crate as a function of any bytes, with what it promises beyond not to fail: for the tests that
//! throw bytes at all of them, and for the fuzz targets of the same names.

mod logs;
mod manage;
mod output;
mod screen;

pub use output::read_as_a_shell;

use crate::Failure;

/// Takes any bytes. `Ok` says whether they were something; `Err` names a promise that was not kept.
pub type Promise = fn(&[u8]) -> Result<bool, String>;

/// This crate's parsers, by the names of their fuzz targets.
pub const PARSERS: &[(&str, Promise)] = &[
    ("tree_dump", screen::dump),
    ("tree_text", screen::text),
    ("tree_delta", screen::delta),
    ("selector", screen::selector),
    ("fingerprint", screen::steady),
    ("member_pointer", screen::pointer),
    ("code_name", screen::code),
    ("device_list", output::devices),
    ("adb_error", output::adb_error),
    ("dump_error", output::dump_error),
    ("input_output", output::input),
    ("am_start", output::am_start),
    ("install_output", manage::install),
    ("managing_output", manage::managing),
    ("console_output", manage::console),
    ("user_list", manage::users),
    ("resolved_activity", output::resolved_activity),
    ("resumed_activity", output::resumed_activity),
    ("field_focused", output::field_focused),
    ("keyboard_shown", output::keyboard_shown),
    ("screen_state", output::screen_state),
    ("process_state", output::process_state),
    ("wm_size", output::wm_size),
    ("getprop", output::getprop),
    ("logcat", logs::logcat),
    ("log_time", logs::time),
    ("crash_report", logs::crash),
    ("activity_dump", logs::activities),
    ("network_log", logs::network),
    ("screencap_output", logs::screencap),
    ("display_ids", logs::displays),
    ("window_dump", logs::windows),
    ("capture_file", logs::capture),
    ("quoted_word", output::quoted_word),
    ("build_output", output::build),
];

/// `Err` with `what` unless it was kept.
///
/// # Errors
/// What was promised and not kept.
pub fn promised(kept: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if kept { Ok(()) } else { Err(what()) }
}

/// The longest message of a failure, bytes: a sentence with some of the device's or the caller's own words.
pub const MESSAGE_BYTES: usize = 4_096;

/// What every failure promises: a sentence of bounded length, on one line, and few candidates.
///
/// # Errors
/// What it did not keep.
pub fn sound(failure: &Failure) -> Result<(), String> {
    let message = &failure.message;
    promised(!message.is_empty(), || format!("{} has no message", failure.code))?;
    promised(message.len() <= MESSAGE_BYTES, || {
        let start: String = message.chars().take(200).collect();
        format!("{} has a message of {} bytes: {start}", failure.code, message.len())
    })?;
    promised(!message.contains(['\n', '\r']), || format!("{}'s message has several lines: {message:?}", failure.code))?;
    let shown = failure.to_json().to_string();
    promised(shown.len() <= 64 * 1024, || format!("{} takes {} bytes", failure.code, shown.len()))
}

/// How devices' output is read: as text, whatever it is.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
