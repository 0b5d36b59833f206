use toolwright::tool;

/// Add numbers.
#[tool]
fn add(a: i64, b: i64) -> i64;

fn main() {}
