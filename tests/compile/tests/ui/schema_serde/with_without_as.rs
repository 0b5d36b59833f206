use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[serde(with = "text")]
    value: u8,
}

fn main() {}
