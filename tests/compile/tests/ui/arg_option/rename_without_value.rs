use toolwright::tool;

/// Add two numbers.
#[tool]
fn add(a: i64, #[arg(rename)] b: i64) -> i64 {
    a + b
}

fn main() {}
