use serde::Serialize;
use toolwright::Schema;

#[derive(Serialize, Schema)]
#[serde(tag = "kind")]
enum Step {
    Copy(Result<u32, String>),
    Skip,
}

fn main() {}
