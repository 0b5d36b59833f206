use toolwright::tool;

/// Tells the weather.
#[tool(example({"city": "Oslo", "days": 2}, 7))]
fn forecast(city: String, #[arg(range(1..=14))] days: u8) -> String {
    city.repeat(days.into())
}

fn main() {}
