use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(range(..1e999))]
    value: f64,
}

fn main() {}
