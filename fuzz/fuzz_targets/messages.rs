//! Any lines as messages of MCP, to a server and to a client.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| toolwright_fuzz::messages::check(input));

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    toolwright_fuzz::mutate(data, size, max_size, seed, libfuzzer_sys::fuzzer_mutate)
});
