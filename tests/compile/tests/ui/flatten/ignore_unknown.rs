use toolwright::{Schema, tool};

#[derive(serde::Deserialize, Schema)]
struct Query {
    words: String,
}

/// Search.
#[tool(ignore_unknown)]
fn search(#[arg(flatten)] query: Query) -> String {
    query.words
}

fn main() {}
