use toolwright::Schema;

#[derive(Schema)]
enum Speed {
    Slow,
    #[serde(other)]
    Other,
}

fn main() {}
