use toolwright::{Instructions, instructions, tool, tools};

/// Tells the weather.
#[tool]
fn forecast(city: String) -> String {
    city
}

/// Adds.
#[tool]
fn add(a: i32) -> i32 {
    a
}

const SYSTEM: Instructions = instructions!("Look with {forecast}.");
const OTHER: Instructions = instructions!("Count with {add}.");

fn main() {
    tools! { instructions: [OTHER, SYSTEM]; add };
    forecast(String::new());
}
