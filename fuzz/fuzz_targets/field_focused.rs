#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| handset_fuzz::keeps("field_focused", data));
