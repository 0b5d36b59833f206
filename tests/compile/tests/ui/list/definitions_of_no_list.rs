use toolwright::{Wire, tool};

/// Count the customers.
#[tool]
fn count() -> u32 {
    1
}

fn main() {
    Wire::OpenAiChat.definitions(&count);
}
