use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(pattern = r"\<order\>")]
    value: String,
}

fn main() {}
