use toolwright::Schema;

#[derive(serde::Deserialize, Schema)]
enum Query {
    Words(String),
}

fn main() {}
