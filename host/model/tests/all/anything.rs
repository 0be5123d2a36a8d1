//! Every parser of this crate under a thousand inputs that nobody meant for it.

use handset_model::parsers::{PARSERS, Promise};

use crate::inputs::{try_each, try_parser};

fn promise(name: &str) -> Promise {
    PARSERS.iter().find(|(known, _)| *known == name).unwrap().1
}

try_each! { promise =>
    tree_dump tree_text tree_delta selector fingerprint member_pointer code_name device_list adb_error dump_error
    input_output am_start install_output managing_output console_output user_list resolved_activity resumed_activity
    field_focused keyboard_shown screen_state process_state wm_size getprop logcat log_time crash_report activity_dump network_log screencap_output
    display_ids window_dump
    capture_file quoted_word build_output
}

#[test]
fn no_parser_is_left_out() {
    assert_eq!(PARSERS.iter().map(|(name, _)| *name).collect::<Vec<_>>(), TRIED);
}
