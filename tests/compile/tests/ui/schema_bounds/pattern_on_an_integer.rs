use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(pattern = "^[0-9]$")]
    value: u8,
}

fn main() {}
