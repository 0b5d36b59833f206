use serde::Deserialize;
use serde::de::DeserializeOwned;
use toolwright::{Schema, tool, tools};

#[derive(Deserialize, Schema)]
struct Word {
    #[schema(pattern = r"^\p{L}+$")]
    text: String,
}

/// Finds something.
#[tool]
fn find<T: Schema + DeserializeOwned + 'static>(like: T) -> usize {
    size_of_val(&like)
}

fn main() {
    tools! {
        targets: [openai_strict];
        find::<String> as "find_text",
        find::<Word> as "find_word",
    };
}
