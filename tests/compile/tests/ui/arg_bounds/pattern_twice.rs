use toolwright::{Schema, tool};

#[derive(serde::Deserialize, Schema)]
struct Code(#[schema(pattern = "^[A-Z]{2}")] String);

/// Finds it.
#[tool]
fn find(#[arg(pattern = "[0-9]{2}$")] code: Code) {
    let _ = code.0;
}

fn main() {}
