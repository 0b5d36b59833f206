use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(title = "A", title = "B")]
    value: u8,
}

fn main() {}
