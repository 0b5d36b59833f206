use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(title)]
    value: u8,
}

fn main() {}
