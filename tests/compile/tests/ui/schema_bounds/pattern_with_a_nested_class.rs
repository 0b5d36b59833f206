use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(pattern = r"^[a-z[0-9]]+$")]
    value: String,
}

fn main() {}
