use toolwright::tool;

/// Add them.
#[tool]
fn sum(numbers: Vec<&i64>) -> i64 {
    numbers.into_iter().sum()
}

fn main() {}
