use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(len(4..))]
    value: [u8; 3],
}

fn main() {}
