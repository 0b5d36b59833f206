use toolwright::tool;

/// Adds two numbers.
#[tool(required(a, b))]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
