use toolwright::tool;

/// A city.
#[tool]
struct City;

fn main() {}
