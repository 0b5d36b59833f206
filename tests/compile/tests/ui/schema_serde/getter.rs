use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[serde(getter = "Elsewhere::value")]
    value: u8,
}

fn main() {}
