use toolwright::{tool, tools};

/// Pays.
#[tool]
fn pay(#[arg(range(..=1_000_000_000_000_000_000))] micros: u64) -> u64 {
    micros
}

fn main() {
    tools! { targets: [anthropic]; pay };
}
