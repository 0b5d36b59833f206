use toolwright::{tool, tools};

/// Tell the weather.
#[tool]
fn weather() {}

fn main() {
    tools![weather.handle_errors()];
}
