use toolwright::Schema;

#[derive(Schema)]
#[serde(field_identifier)]
enum Key {
    First,
    Second,
}

fn main() {}
