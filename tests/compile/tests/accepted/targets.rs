//! Targets and a budget at the head of a list, in any order, behind commas or semicolons.
use toolwright::{Schema, tool, tools};

/// Adds.
#[tool(targets(openai_strict, anthropic_strict, gemini_json, mcp_2026_07_28))]
fn add(a: i64, #[arg(default = 1)] b: i64) -> i64 {
    a + b
}

/// Stores anything.
#[tool(targets(gemini_json, mcp_2025_06_18))]
fn store(record: serde_json::Value) -> bool {
    record.is_null()
}

/// Finds something.
#[tool]
fn find<T: Schema + serde::de::DeserializeOwned + 'static>(like: T) -> usize {
    size_of_val(&like)
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Theirs {
    id: u8,
}

struct Shelf;

#[tool]
impl Shelf {
    /// Takes what schemars alone knows.
    #[tool]
    fn take(&self, theirs: Theirs) -> u8 {
        theirs.id
    }
}

#[test]
fn runs() {
    let all =
        tools! { budget: 1_000, targets: [gemini_json]; add, store, find::<u8> as "find_byte" };
    assert_eq!(all.iter().len(), 3);
    let semicolons = tools! { targets: [openai_strict]; budget: 500; add };
    assert_eq!(semicolons.iter().len(), 1);
    // By a method's name, or by its type's for all of them.
    let one = tools! { targets: [openai_strict], unproven: [take]; ..Shelf: Shelf };
    let whole = tools! { targets: [openai_strict], unproven: [Shelf]; ..Shelf: Shelf };
    assert_eq!(one.iter().len(), whole.iter().len());
    let cheap = tools! { budget: 500; add };
    assert!(cheap.definitions().all(|def| def.token_bound() < 500));
}
