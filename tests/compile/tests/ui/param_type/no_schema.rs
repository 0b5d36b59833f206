use toolwright::tool;

#[derive(serde::Deserialize)]
struct City;

/// Tell the weather.
#[tool]
fn forecast(place: City) -> String {
    let City = place;
    String::new()
}

fn main() {}
