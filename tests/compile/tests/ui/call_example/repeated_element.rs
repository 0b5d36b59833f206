use toolwright::tool;

/// Measures.
#[tool(example({"tags": ["a", "b", "a"]}))]
fn measure(#[arg(unique)] tags: Vec<String>) -> bool {
    tags.is_empty()
}

fn main() {}
