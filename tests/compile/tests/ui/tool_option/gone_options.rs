use toolwright::tool;

/// Tell the weather.
#[tool(handle = Weather)]
fn weather() {}

/// Add two numbers.
#[tool(spawn)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Count.
///
/// # Examples
/// One, two.
#[tool(full_doc)]
fn count() {}

fn main() {}
