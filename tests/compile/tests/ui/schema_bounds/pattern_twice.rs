use toolwright::Schema;

#[derive(Schema)]
struct Code(#[schema(pattern = "^[A-Z]{2}")] String);

#[derive(Schema)]
struct Order {
    #[schema(pattern = "[0-9]{2}$")]
    code: Option<Code>,
}

fn main() {}
