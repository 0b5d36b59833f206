use toolwright::tool;

struct Weather;

/// Tell the weather.
#[tool(handle = Weather)]
fn weather() {}

fn main() {}
