use toolwright::tool;

/// Rates it.
#[tool]
fn rate(#[arg(range(5..=1))] stars: u8) {
    let _ = stars;
}

fn main() {}
