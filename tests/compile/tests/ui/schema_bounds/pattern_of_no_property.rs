use toolwright::Schema;

#[derive(Schema)]
struct Order {
    #[schema(pattern = r"^\p{Greek}+$")]
    value: String,
}

fn main() {}
