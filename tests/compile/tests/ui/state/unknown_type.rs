use toolwright::tool;

/// Tells the weather.
#[tool]
fn weather(city: String, #[state] shop: &Shop) -> usize {
    city.len()
}

fn main() {}
