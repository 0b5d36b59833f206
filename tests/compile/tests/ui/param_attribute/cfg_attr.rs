use toolwright::tool;

/// Add two numbers.
#[tool]
fn add(a: i64, #[cfg_attr(unix, arg(default = 3))] b: i64) -> i64 {
    a + b
}

fn main() {
    add(1, 2);
}
