use toolwright::tool;

const KIND: &str = "math";

/// Add two numbers.
#[tool(meta(kind = KIND))]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
