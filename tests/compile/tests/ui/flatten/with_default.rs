use toolwright::{Schema, tool};

#[derive(Default, serde::Deserialize, Schema)]
struct Query {
    words: String,
}

/// Search.
#[tool]
fn search(#[arg(flatten, default)] query: Query) -> String {
    query.words
}

fn main() {}
