use toolwright::Schema;

#[derive(serde::Deserialize, Schema)]
struct Query {
    #[serde(flatten)]
    words: Words,
}

#[derive(serde::Deserialize, Schema)]
struct Words {
    all: String,
}

fn main() {}
