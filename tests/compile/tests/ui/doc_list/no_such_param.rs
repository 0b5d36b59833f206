use toolwright::tool;

/// Tell the weather.
///
/// # Arguments
///
/// - `radius`: how far around
#[tool]
fn weather(city: String, days: u8) -> String {
    format!("{city} {days}")
}

fn main() {}
