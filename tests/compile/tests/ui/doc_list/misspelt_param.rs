use toolwright::tool;

/// Tell the weather.
///
/// # Arguments
///
/// - `citty`: where to look
#[tool]
fn weather(city: String) -> String {
    city
}

fn main() {}
