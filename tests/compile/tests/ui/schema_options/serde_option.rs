use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(rename = "other")]
    value: u8,
}

fn main() {}
