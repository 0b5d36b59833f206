use toolwright::tool;

/// Count.
#[tool]
fn count(counters: [&mut u8; 1]) -> usize {
    counters.len()
}

fn main() {}
