use toolwright::tool;

/// Measures.
#[tool]
fn measure(#[arg(example = [1, 300])] tags: Vec<u8>) -> bool {
    tags.is_empty()
}

fn main() {}
