use toolwright::Schema;

#[derive(Schema)]
struct Name(#[serde(skip)] String);

fn main() {}
