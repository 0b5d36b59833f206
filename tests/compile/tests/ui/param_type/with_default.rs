use toolwright::tool;

#[derive(Default)]
struct City;

/// Tell the weather.
#[tool]
fn forecast(#[arg(default)] place: City) -> String {
    let City = place;
    String::new()
}

fn main() {}
