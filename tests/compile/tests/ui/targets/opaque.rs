use toolwright::{tool, tools};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Theirs {
    id: u8,
}

/// Takes what schemars alone knows.
#[tool]
fn take(theirs: Theirs) -> u8 {
    theirs.id
}

fn main() {
    tools! { targets: [openai_strict]; take };
}
