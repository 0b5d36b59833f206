use toolwright::tool;

struct City;

/// Tell the weather.
#[tool]
fn forecast(places: &[City]) -> usize {
    places.len()
}

fn main() {}
