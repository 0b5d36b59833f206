use toolwright::Schema;

#[derive(serde::Deserialize, Schema)]
#[serde(rename_all = "Title Case")]
struct Query {
    words: String,
}

fn main() {}
