use toolwright::tool;

struct Shelf;

#[tool]
impl Shelf {
    /// Counts.
    #[tool(targets(openai_strict))]
    fn count(&self) -> usize {
        0
    }

    /// Takes a name.
    #[tool(targets(openai_strict))]
    fn take(&self, #[arg(pattern = r"^\p{L}+$")] name: String) -> usize {
        name.len()
    }
}

fn main() {}
