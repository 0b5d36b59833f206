use schemars::JsonSchema;
use toolwright::Schema;

#[derive(JsonSchema)]
struct Theirs(u8);

#[derive(Schema)]
struct Order {
    #[schema(range(1..))]
    value: Theirs,
}

fn main() {}
