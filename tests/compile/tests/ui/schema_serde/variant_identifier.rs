use toolwright::Schema;

#[derive(Schema)]
#[serde(variant_identifier)]
enum Key {
    First,
    Second,
}

fn main() {}
