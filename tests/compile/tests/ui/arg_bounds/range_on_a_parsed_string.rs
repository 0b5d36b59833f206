use std::net::SocketAddr;

use toolwright::tool;

/// Connects.
#[tool]
fn connect(#[arg(range(1..=5))] to: SocketAddr) -> u16 {
    to.port()
}

fn main() {}
