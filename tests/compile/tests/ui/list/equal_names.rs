use toolwright::{tool, tools};

/// Tell the weather.
#[tool]
fn weather() {}

mod other {
    /// Tell another weather.
    #[toolwright::tool]
    pub fn weather() {}
}

fn main() {
    tools![weather, other::weather];
}
