use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(colour = "red")]
    value: u8,
}

fn main() {}
