use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
#[serde(deny_unknown_fields)]
struct Coded {
    code: Code,
}

#[derive(Deserialize, Schema)]
#[serde(transparent)]
#[schema(pattern = "^[A-Z]{2}$")]
struct Code(String);

#[derive(Deserialize, Schema)]
#[serde(untagged)]
enum Label<T> {
    Coded(Coded),
    Free { code: T },
}

#[tool]
/// Sets a label.
fn label(label: Label<String>) {
    drop(label);
}

fn main() {}
