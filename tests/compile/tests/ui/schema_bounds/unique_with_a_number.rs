use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(unique = 1)]
    value: Vec<u8>,
}

fn main() {}
