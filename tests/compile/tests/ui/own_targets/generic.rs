use serde::de::DeserializeOwned;
use toolwright::{Schema, tool};

/// Finds something.
#[tool(targets(openai_strict))]
fn find<T: Schema + DeserializeOwned + 'static>(like: T) -> usize {
    size_of_val(&like)
}

fn main() {}
