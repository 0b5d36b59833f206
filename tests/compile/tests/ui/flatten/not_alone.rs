use toolwright::{Schema, tool};

#[derive(serde::Deserialize, Schema)]
struct Query {
    words: String,
}

/// Search.
#[tool]
fn search(#[arg(flatten)] query: Query, limit: u32) -> String {
    format!("{} {limit}", query.words)
}

fn main() {}
