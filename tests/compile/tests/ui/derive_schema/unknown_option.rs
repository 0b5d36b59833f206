use toolwright::Schema;

#[derive(serde::Deserialize, Schema)]
struct Query {
    #[schema(patern = "^a")]
    words: String,
}

fn main() {}
