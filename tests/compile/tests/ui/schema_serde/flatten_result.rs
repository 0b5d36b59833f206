use serde::Serialize;
use toolwright::Schema;

#[derive(Serialize, Schema)]
struct Report {
    job: String,
    #[serde(flatten)]
    outcome: Option<Result<u32, String>>,
}

fn main() {}
