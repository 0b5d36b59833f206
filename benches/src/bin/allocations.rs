//! How many allocations each row makes, and of how many bytes: a line a row, for `calls`.
//!
//! A program of its own, so that what counts slows nothing that is timed. An allocation that grows
//! counts once more.

fn main() {
    for row in toolwright_benches::groups()
        .iter()
        .flat_map(|group| &group.0)
    {
        // What is made once and kept is made before.
        (row.run)();
        let counted = allocation_counter::measure(|| (row.run)());
        println!(
            "{} {} {}",
            row.name, counted.count_total, counted.bytes_total
        );
    }
}
