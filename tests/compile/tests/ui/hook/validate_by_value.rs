use toolwright::tool;

fn small(a: i64, b: i64) -> Result<(), String> {
    if a + b < 10 { Ok(()) } else { Err("too big".into()) }
}

/// Add two numbers.
#[tool(validate = small)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
