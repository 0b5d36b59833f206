use toolwright::{tool, tools};

struct Shelf;

#[tool]
impl Shelf {
    /// Stores a record.
    #[tool]
    fn store(&self, #[arg(pattern = r"^\p{L}+$")] record: String) {
        let _ = record;
    }
}

fn main() {
    tools! { targets: [openai_strict]; ..Shelf: Shelf };
}
