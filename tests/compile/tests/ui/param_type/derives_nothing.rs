use toolwright::tool;

struct City;

/// Tell the weather.
#[tool]
fn forecast(place: City) -> String {
    let City = place;
    String::new()
}

fn main() {}
