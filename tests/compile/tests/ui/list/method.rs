use toolwright::{tool, tools};

struct Sums;

#[tool]
impl Sums {
    /// Add two numbers.
    #[tool]
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
}

fn main() {
    tools![Sums::add];
}
