use toolwright::tool;

/// Rests.
#[tool(targets = "openai_strict")]
fn rest() {}

fn main() {}
