use toolwright::{tool, tools};

/// Tell the weather.
#[tool]
fn weather() {}

/// Tell the time.
#[tool]
fn clock() {}

fn main() {
    tools![weather clock];
}
