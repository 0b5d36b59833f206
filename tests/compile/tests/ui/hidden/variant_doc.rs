use toolwright::Schema;

#[derive(serde::Deserialize, Schema)]
enum Speed {
    /// As fast as ️possible
    Fast,
    Slow,
}

fn main() {
    let _ = [Speed::Fast, Speed::Slow];
}
