use toolwright::tool;

fn small(a: &str, b: &i64) -> Result<(), String> {
    if *b < 10 { Ok(()) } else { Err(a.into()) }
}

/// Add two numbers.
#[tool(validate = small)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
