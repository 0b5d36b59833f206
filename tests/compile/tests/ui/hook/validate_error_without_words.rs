use toolwright::tool;

struct TooBig;

fn small(a: &i64, b: &i64) -> Result<(), TooBig> {
    if a + b < 10 { Ok(()) } else { Err(TooBig) }
}

/// Add two numbers.
#[tool(validate = small)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
