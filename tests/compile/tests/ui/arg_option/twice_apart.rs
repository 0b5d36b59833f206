use toolwright::tool;

/// Add two numbers.
#[tool]
fn add(a: i64, #[arg(default = 1)] #[arg(default = 2)] b: i64) -> i64 {
    a + b
}

fn main() {}
