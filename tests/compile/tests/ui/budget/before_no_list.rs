use toolwright::{tool, tools};

/// Rests.
#[tool]
fn rest() {}

fn main() {
    tools! { budget: 4_000, rest };
}
