use toolwright::{Schema, tool};

#[derive(serde::Deserialize, Schema)]
struct Name {
    first: String,
}

/// Say hello.
#[tool]
fn greet(#[arg(default)] name: Name) -> String {
    name.first
}

fn main() {}
