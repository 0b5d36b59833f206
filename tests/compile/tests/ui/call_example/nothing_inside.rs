use toolwright::tool;

/// Tells the weather.
#[tool(example())]
fn forecast(city: String, #[arg(range(1..=14))] days: u8) -> String {
    city.repeat(days.into())
}

fn main() {}
