use toolwright::tool;

/// Rates it.
#[tool]
fn rate(#[arg(len(1..))] stars: u8) {
    let _ = stars;
}

fn main() {}
