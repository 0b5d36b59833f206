use toolwright::tool;

/// Searches.
#[tool(name = "search‍")]
fn search() {}

fn main() {}
