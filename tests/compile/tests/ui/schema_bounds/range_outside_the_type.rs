use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(range(300..))]
    value: u8,
}

fn main() {}
