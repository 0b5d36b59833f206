use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema("The amount in cents.")]
    cents: u32,
}

fn main() {}
