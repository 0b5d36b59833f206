//! Any text as the response of a provider.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| toolwright_fuzz::responses::check(input));
