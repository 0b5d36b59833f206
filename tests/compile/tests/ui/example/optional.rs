use toolwright::tool;

/// Measures.
#[tool]
fn measure(#[arg(example = true)] name: Option<&str>) -> bool {
    name.is_some()
}

fn main() {}
