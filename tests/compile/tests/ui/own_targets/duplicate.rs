use toolwright::tool;

/// Rests.
#[tool(targets(ollama, ollama))]
fn rest() {}

fn main() {}
