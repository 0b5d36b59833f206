use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(pattern = r"\Aorder-\d+\z")]
    value: String,
}

fn main() {}
