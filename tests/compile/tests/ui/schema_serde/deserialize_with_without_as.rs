use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[serde(deserialize_with = "text")]
    value: u8,
}

fn main() {}
