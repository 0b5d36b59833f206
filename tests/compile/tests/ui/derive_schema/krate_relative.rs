use toolwright::Schema;

#[derive(serde::Deserialize, Schema)]
#[schema(crate = toolwright)]
struct Query {
    words: String,
}

fn main() {}
