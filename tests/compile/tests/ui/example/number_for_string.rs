use toolwright::tool;

/// Measures.
#[tool]
fn measure(#[arg(example = 5)] name: String) -> bool {
    name.is_empty()
}

fn main() {}
