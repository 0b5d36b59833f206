use toolwright::{tool, tools};

/// Tell the weather.
#[tool]
fn weather(#[state] station: &u8) -> u8 {
    *station
}

fn main() {
    tools![weather, state: 5u8];
}
