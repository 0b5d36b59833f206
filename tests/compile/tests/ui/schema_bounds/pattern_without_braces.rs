use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(pattern = r"^\pL+$")]
    value: String,
}

fn main() {}
