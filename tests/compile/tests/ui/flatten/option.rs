use toolwright::{Schema, tool};

#[derive(serde::Deserialize, Schema)]
struct Query {
    words: String,
}

/// Search.
#[tool]
fn search(#[arg(flatten)] query: Option<Query>) -> bool {
    query.is_some()
}

fn main() {}
