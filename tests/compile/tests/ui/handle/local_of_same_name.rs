use toolwright::{tool, tools};

/// Tell the weather.
#[tool]
fn weather() {}

fn main() {
    /// Tell the weather of tomorrow.
    #[tool]
    fn weather() {}

    tools![weather];
}
