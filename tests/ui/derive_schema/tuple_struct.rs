use toolwright::Schema;

#[derive(serde::Deserialize, Schema)]
struct Query(String);

fn main() {}
