use toolwright::tool;

/// Rates it.
#[tool]
fn rate(#[arg(range(1.5..=5))] stars: u8) {
    let _ = stars;
}

fn main() {}
