use toolwright::tool;

/// Add two numbers.
#[tool]
fn add(a: i64, #[arg("The other number")] b: i64) -> i64 {
    a + b
}

fn main() {}
