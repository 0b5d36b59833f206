use toolwright::{Schema, tool};

#[derive(Schema)]
struct City {
    name: String,
}

/// Tell the weather.
#[tool]
fn forecast(place: City) -> String {
    place.name
}

fn main() {}
