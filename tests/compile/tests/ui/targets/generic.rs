use serde::de::DeserializeOwned;
use toolwright::{Schema, tool, tools};

/// Finds something.
#[tool]
fn find<T: Schema + DeserializeOwned + 'static>(like: T) -> usize {
    size_of_val(&like)
}

fn main() {
    tools! {
        targets: [openai_strict];
        find::<String> as "find_text",
        find::<serde_json::Value> as "find_any",
    };
}
