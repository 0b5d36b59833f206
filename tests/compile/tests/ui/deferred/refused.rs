use toolwright::{tool, tools};

/// Tells the time.
#[tool]
fn now() -> u64 {
    12
}

/// Takes a word.
#[tool]
fn any(#[arg(pattern = r"^\p{L}+$")] word: String) -> String {
    word
}

fn main() {
    tools! { targets: [openai_strict], defer: { any: [any] }; now };
}
