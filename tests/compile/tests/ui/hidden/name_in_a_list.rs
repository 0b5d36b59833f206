use toolwright::{tool, tools};

/// Searches.
#[tool]
fn search() {}

fn main() {
    tools![search as "sea​rch"];
}
