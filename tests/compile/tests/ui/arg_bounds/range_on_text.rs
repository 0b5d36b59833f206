use toolwright::tool;

/// Rates it.
#[tool]
fn rate(#[arg(range(1..=5))] stars: String) {
    let _ = stars;
}

fn main() {}
