//! Any text as the arguments of five tools.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| toolwright_fuzz::arguments::check(input));
