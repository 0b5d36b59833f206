use toolwright::Schema;

#[derive(Schema)]
struct Pair(u8, #[serde(skip_serializing_if = "is_zero")] u8);

fn main() {}
