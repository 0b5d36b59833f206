use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(format = "email")]
    value: u8,
}

fn main() {}
