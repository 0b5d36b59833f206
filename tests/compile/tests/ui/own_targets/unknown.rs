use toolwright::tool;

/// Rests.
#[tool(targets(openai_strct))]
fn rest() {}

fn main() {}
