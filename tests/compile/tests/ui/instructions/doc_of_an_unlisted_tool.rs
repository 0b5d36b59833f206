use toolwright::{tool, tools};

/// Tells the weather.
#[tool]
fn forecast(city: String) -> String {
    city
}

/// Plans a day by [`fn@forecast`].
#[tool]
fn plan(day: u8) -> u8 {
    day
}

fn main() {
    tools! { budget: 1_000; plan };
    forecast(String::new());
}
