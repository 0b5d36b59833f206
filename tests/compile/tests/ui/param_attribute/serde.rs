use toolwright::tool;

/// Add two numbers.
#[tool]
fn add(a: i64, #[serde(default)] b: i64) -> i64 {
    a + b
}

fn main() {}
