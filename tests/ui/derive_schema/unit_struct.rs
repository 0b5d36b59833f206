use toolwright::Schema;

#[derive(serde::Deserialize, Schema)]
struct Query;

fn main() {}
