use toolwright::{Instructions, instructions, tool};

/// Tells the weather.
#[tool]
fn forecast(city: String) -> String {
    city
}

const SYSTEM: Instructions = instructions!("Look with {forecst}.");

fn main() {
    println!("{SYSTEM}");
}
