use toolwright::{tool, tools};

/// Finds a person.
#[tool]
fn find(#[arg(pattern = r"^\p{L}+$")] name: String) -> String {
    name
}

/// Pays.
#[tool]
fn pay(#[arg(range(..=1_000_000_000_000_000_000))] micros: u64) -> u64 {
    micros
}

fn main() {
    tools! { targets: [openai_strict]; find };
    tools! { targets: [anthropic]; pay };
}
