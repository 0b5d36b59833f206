use toolwright::Schema;

#[derive(serde::Deserialize, Schema)]
#[serde(transparent)]
struct Query {
    words: String,
}

fn main() {}
