use toolwright::{tool, tools};

/// Tell the weather.
#[tool]
fn weather() {}

/// Tell the time.
#[tool]
fn time() {}

fn main() {
    tools![weather, self::time as "weather"];
}
