use toolwright::tool;

/// Search.
#[tool]
fn search(#[arg(flatten)] query: u32) -> u32 {
    query
}

fn main() {}
