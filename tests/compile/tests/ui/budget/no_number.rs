use toolwright::{tool, tools};

/// Rests.
#[tool]
fn rest() {}

fn main() {
    tools! { targets: [openai_strict], budget: "4k"; rest };
}
