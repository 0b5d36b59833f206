use toolwright::Schema;

#[doc = include_str!("doc_not_literal.rs")]
#[derive(serde::Deserialize, Schema)]
struct Query {
    words: String,
}

fn main() {}
