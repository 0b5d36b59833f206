use toolwright::{tool, tools};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Theirs {
    id: u8,
}

struct Shelf;

#[tool]
impl Shelf {
    /// Counts.
    #[tool]
    fn count(&self) -> usize {
        0
    }

    /// Takes what schemars alone knows.
    #[tool]
    fn take(&self, theirs: Theirs) -> u8 {
        theirs.id
    }
}

fn main() {
    tools! { targets: [openai_strict], unproven: [count]; ..Shelf: Shelf };
}
