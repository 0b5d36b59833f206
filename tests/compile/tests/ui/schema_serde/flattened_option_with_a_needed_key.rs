use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
struct Query {
    text: String,
    #[serde(flatten)]
    pages: Option<Pages>,
}

#[derive(Deserialize, Schema)]
struct Pages {
    from: u32,
    to: u32,
}

#[tool]
/// Finds texts.
fn find(query: Query) {
    drop(query);
}

fn main() {}
