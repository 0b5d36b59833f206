use toolwright::tool;

/// Rates it.
#[tool]
fn rate(#[arg(pattern = "(?=a)")] stars: String) {
    let _ = stars;
}

fn main() {}
