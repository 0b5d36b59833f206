use toolwright::tool;

/// Add two numbers.
#[tool]
fn add(a: i64, #[tool(default = 1)] b: i64) -> i64 {
    a + b
}

fn main() {}
