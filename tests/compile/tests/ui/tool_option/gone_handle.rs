use toolwright::tool;

/// Tell the weather.
#[tool(handle = Weather)]
fn weather() {}

fn main() {}
