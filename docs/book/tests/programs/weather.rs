use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use toolwright::{Schema, tool, tools};

#[derive(Deserialize, Serialize, Schema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Fahrenheit,
}

/// Weather forecast of a city.
#[tool(read_only)]
fn forecast(
    /// City name
    city: &str,
    #[arg(default = Unit::Celsius)] unit: Unit,
    /// How many days, counted from today
    #[arg(default = 3, range(1..=10))]
    days: u8,
) -> Vec<f64> {
    let (warmest, step) = match unit {
        Unit::Celsius => (21.5, 0.5),
        Unit::Fahrenheit => (70.7, 0.9),
    };
    let _ = city;
    (0..days)
        .map(|day| warmest - f64::from(day) * step)
        .collect()
}

/// Cancels an order.
#[tool(destructive)]
fn cancel_order(id: u32) -> String {
    format!("order {id} is cancelled")
}

pub fn main() -> ExitCode {
    toolwright::serve::Serve::new(tools![forecast, cancel_order])
        .name("weather")
        .run()
}
