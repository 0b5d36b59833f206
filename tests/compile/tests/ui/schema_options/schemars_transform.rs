use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schemars(transform = change)]
    value: u8,
}

fn main() {}
