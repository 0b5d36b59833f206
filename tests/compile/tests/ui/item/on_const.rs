use toolwright::tool;

/// A number.
#[tool]
const ANSWER: u32 = 42;

fn main() {}
