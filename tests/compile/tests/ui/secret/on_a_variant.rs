use toolwright::Schema;

#[derive(serde::Deserialize, Schema)]
enum Way {
    #[schema(secret)]
    Token(String),
    Open,
}

fn main() {}
