use toolwright::tool;

/// Measures.
#[tool]
fn measure(#[arg(example = "5")] count: u8) -> bool {
    count > 5
}

fn main() {}
