use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(pattern = r"^\d{,3}$")]
    value: String,
}

fn main() {}
