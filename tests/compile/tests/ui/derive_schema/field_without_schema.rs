use toolwright::Schema;

#[derive(serde::Deserialize)]
struct Words;

#[derive(serde::Deserialize, Schema)]
struct Query {
    words: Vec<Words>,
}

fn main() {}
