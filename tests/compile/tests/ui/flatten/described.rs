use toolwright::{Schema, tool};

#[derive(serde::Deserialize, Schema)]
struct Query {
    words: String,
}

/// Search.
#[tool]
fn search(
    #[arg(flatten, rename = "q")] query: Query,
) -> String {
    query.words
}

fn main() {}
