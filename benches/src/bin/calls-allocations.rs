//! How many allocations each row makes, and of how many bytes: a line a row, for the tables; `--calls` for those of calls
//! alone.

use toolwright_benches::{CALLS, PARTS};

fn main() {
    let calls = std::env::args().any(|arg| arg == "--calls");
    let parts = if calls { &CALLS[..] } else { &PARTS[..] };
    toolwright_benches_measure::count(parts, |run| {
        let counted = allocation_counter::measure(run);
        (counted.count_total, counted.bytes_total)
    });
}
