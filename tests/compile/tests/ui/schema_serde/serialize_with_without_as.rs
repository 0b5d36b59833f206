use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[serde(serialize_with = "text")]
    value: u8,
}

fn main() {}
