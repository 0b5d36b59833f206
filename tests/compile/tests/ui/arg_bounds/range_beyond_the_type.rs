use toolwright::tool;

/// Rates it.
#[tool]
fn rate(#[arg(range(300..=500))] stars: u8) {
    let _ = stars;
}

fn main() {}
