use toolwright::{Schema, tool};

#[derive(serde::Deserialize, Schema)]
#[schema(opn)]
struct Query {
    words: String,
}

/// Search.
#[tool]
fn search(query: Query) -> String {
    query.words
}

fn main() {}
