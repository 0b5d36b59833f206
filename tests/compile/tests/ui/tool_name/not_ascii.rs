use toolwright::tool;

/// Measure.
#[tool]
fn größe() -> u32 {
    3
}

fn main() {}
