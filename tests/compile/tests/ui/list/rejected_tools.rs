use toolwright::{tool, tools};

#[tool]
fn first() {}

#[tool]
fn second() {}

fn main() {
    // Nothing is said of the list: what is wrong is wrong with its tools.
    tools! { targets: [openai_strict], budget: 1_000; first, second };
}
