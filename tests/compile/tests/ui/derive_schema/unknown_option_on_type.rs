use toolwright::Schema;

#[derive(serde::Deserialize, Schema)]
#[schema(krate = ::toolwright)]
struct Query {
    words: String,
}

fn main() {}
