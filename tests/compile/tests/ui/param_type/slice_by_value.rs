use toolwright::tool;

/// Sums.
#[tool]
async fn sum(numbers: [u32]) -> u32 {
    numbers.iter().sum()
}

fn main() {}
