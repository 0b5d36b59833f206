use toolwright::tool;

struct City;

/// Tell the weather.
#[tool]
fn forecast(place: Option<&City>) -> bool {
    place.is_some()
}

fn main() {}
