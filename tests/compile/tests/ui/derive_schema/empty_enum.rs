use toolwright::Schema;

#[derive(serde::Deserialize, Schema)]
enum Query {}

fn main() {}
