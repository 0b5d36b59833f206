use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[arg(range(1..))]
    quantity: u8,
}

fn main() {}
