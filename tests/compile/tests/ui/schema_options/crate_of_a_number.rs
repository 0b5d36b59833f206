use toolwright::Schema;

#[derive(Schema)]
#[schema(crate = 5)]
struct Order {
    value: u8,
}

fn main() {}
