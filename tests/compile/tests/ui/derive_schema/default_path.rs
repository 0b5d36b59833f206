use toolwright::Schema;

#[derive(serde::Deserialize, Schema)]
struct Query {
    #[serde(default = "all")]
    words: String,
}

fn main() {}
