//! Targets and a budget at the head of a list, in any order, behind commas or semicolons.
use std::collections::BTreeMap;

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

#[derive(serde::Deserialize, Schema)]
struct Nothing {}

#[derive(serde::Deserialize, Schema)]
struct Node {
    children: Vec<Node>,
}

#[derive(serde::Deserialize, Schema)]
struct Person {
    employer: Option<Box<Company>>,
}

#[derive(serde::Deserialize, Schema)]
struct Company {
    #[schema(recursive)]
    staff: Vec<Person>,
}

#[derive(serde::Deserialize, Schema)]
struct Filter {
    limit: u8,
    #[serde(flatten)]
    others: BTreeMap<String, String>,
}

#[derive(serde::Deserialize, Schema)]
enum Change {
    Clear,
    Set {
        key: String,
        value: serde_json::Value,
    },
}

/// Takes values that strict modes take as strings of JSON.
#[tool(targets(
    openai_strict,
    azure_strict,
    anthropic_strict,
    deepseek_strict,
    groq,
    xai,
    gemini_openapi,
    gemini_json,
    ollama
))]
fn anything(
    any: serde_json::Value,
    #[arg(default)] by_name: BTreeMap<String, serde_json::Value>,
    pairs: Vec<(String, serde_json::Value)>,
    nothing: Nothing,
    trees: Vec<Node>,
    person: Option<Person>,
    filter: Filter,
    change: Change,
) -> bool {
    let is_set = match change {
        Change::Clear => false,
        Change::Set { key, value } => value == key,
    };
    let Nothing {} = nothing;
    let is_employed = person.and_then(|person| person.employer);
    is_set
        || any.is_null()
        || by_name.is_empty()
        || pairs.is_empty()
        || trees.iter().all(|tree| tree.children.is_empty())
        || is_employed.is_some_and(|company| company.staff.is_empty())
        || filter.others.len() > usize::from(filter.limit)
}

#[test]
fn runs() {
    assert_eq!(tools![anything].iter().len(), 1);
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
