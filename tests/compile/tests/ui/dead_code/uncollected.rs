#![deny(dead_code)]

use toolwright::tool;

/// Tell the weather.
#[tool]
fn weather(#[arg(default = 3)] days: u8) -> u8 {
    days
}

fn main() {}
