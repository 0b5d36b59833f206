use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(pattern = "^(?=a)")]
    value: String,
}

fn main() {}
