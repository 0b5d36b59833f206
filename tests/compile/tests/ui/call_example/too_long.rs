use toolwright::tool;

/// Measures.
#[tool(example({"name": "Oslo"}))]
fn measure(#[arg(len(..=3))] name: String) -> bool {
    name.is_empty()
}

fn main() {}
