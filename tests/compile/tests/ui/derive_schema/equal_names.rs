use toolwright::Schema;

#[derive(Schema)]
struct Query {
    a: String,
    #[serde(rename = "a")]
    b: String,
}

fn main() {}
