use toolwright::tool;

/// Add two numbers.
#[tool(title = "Add", read_only, title = "Sum")]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
