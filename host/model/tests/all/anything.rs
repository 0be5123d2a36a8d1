//! Every parser of this crate under a thousand inputs that nobody meant for it.

use handset_model::parsers::PARSERS;

use crate::inputs::try_parser;

macro_rules! parsers {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            let (name, promise) = PARSERS.iter().find(|(name, _)| *name == stringify!($name)).unwrap();
            try_parser(name, *promise);
        })*

        #[test]
        fn no_parser_is_left_out() {
            assert_eq!(PARSERS.iter().map(|(name, _)| *name).collect::<Vec<_>>(), [$(stringify!($name)),*]);
        }
    };
}

parsers! {
    tree_dump tree_text tree_delta selector fingerprint member_pointer code_name device_list adb_error dump_error
    input_output am_start resolved_activity resumed_activity keyboard_shown screen_state wm_size getprop quoted_word
}
