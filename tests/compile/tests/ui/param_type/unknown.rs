use toolwright::tool;

/// Tell the weather.
#[tool]
fn forecast(place: Citty) -> String {
    place.name
}

fn main() {}
