use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
struct Search {
    text: String,
    #[schema(pattern = r"^\p{L}+$")]
    filter: String,
}

/// Searches.
#[tool(targets(groq))]
fn search(#[arg(flatten)] search: Search) -> bool {
    search.filter == search.text
}

fn main() {}
