use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(as = "String")]
    value: u8,
}

fn main() {}
