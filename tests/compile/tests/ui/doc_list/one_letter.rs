use toolwright::tool;

/// Add two numbers.
///
/// # Arguments
///
/// - `c`: the second
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
