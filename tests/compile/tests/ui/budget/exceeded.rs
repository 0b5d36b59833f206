use toolwright::{tool, tools};

/// Adds two numbers.
///
/// Use it where the sum matters, and be sure to give both: none of them may be missing, and the
/// result is exact.
#[tool]
fn add(
    /// The first number, in the unit of the second
    a: i64,
    /// The second number, in the unit of the first
    b: i64,
) -> i64 {
    a + b
}

/// Rests.
#[tool]
fn rest() {}

fn main() {
    tools! { budget: 100; rest, add, add as "add_again" };
}
