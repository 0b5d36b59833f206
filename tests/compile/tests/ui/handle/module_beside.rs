use toolwright::tool;

mod tools {
    pub mod weather {}
}
use tools::weather;

/// Tell the weather.
#[tool]
fn weather() {}

fn main() {}
