use toolwright::tool;

/// Measures.
#[tool]
fn measure(#[arg(range(0.5..=2.0), example = -1.5)] size: f64) -> bool {
    size > 1.0
}

fn main() {}
