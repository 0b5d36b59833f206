use toolwright::tool;

/// Add two numbers.
#[tool(spawn)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
