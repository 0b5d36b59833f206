use toolwright::Schema;

#[derive(Schema)]
struct Pair(u8, #[serde(default)] u8);

fn main() {}
