use toolwright::{tool, tools};

struct Shelf;

#[tool]
impl Shelf {
    /// Stores anything.
    #[tool]
    fn store(&self, record: serde_json::Value) {
        let _ = record;
    }
}

fn main() {
    tools! { targets: [openai_strict]; ..Shelf: Shelf };
}
