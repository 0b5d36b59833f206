use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(recursive = "yes")]
    value: u8,
}

fn main() {}
