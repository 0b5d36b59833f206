use toolwright::tool;

fn small(a: &i64, b: &i64) -> Result<i64, String> {
    Ok(a + b)
}

/// Add two numbers.
#[tool(validate = small)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
