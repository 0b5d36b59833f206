use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(pattern = r"^[[:alpha:]]+$")]
    value: String,
}

fn main() {}
