use std::collections::BTreeMap;

use toolwright::tool;

struct Shelf;

#[tool]
impl Shelf {
    /// Counts.
    #[tool(targets(openai_strict))]
    fn count(&self) -> usize {
        0
    }

    /// Takes anything.
    #[tool(targets(openai_strict))]
    fn take(&self, by_name: BTreeMap<String, serde_json::Value>) -> usize {
        by_name.len()
    }
}

fn main() {}
