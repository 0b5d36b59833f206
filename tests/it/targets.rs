//! Lists that are checked against providers' dialects when they compile. What is refused stands in
//! `tests/compile/tests/ui/targets`.
// One tool takes a type that schemars alone knows.
#![cfg(feature = "schemars")]
#![allow(clippy::needless_pass_by_value)]

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toolwright::{Dialect, Schema, dialect::lower, tool, tools};

#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "kind")]
enum Target {
    Person {
        name: String,
    },
    Group {
        members: Vec<String>,
        limit: Option<u8>,
    },
}

/// Sends a message.
#[tool]
fn send(to: Target, labels: BTreeMap<String, u32>, pair: (u8, String), urgent: Option<bool>) {
    let _ = (to, labels, pair, urgent);
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Theirs {
    id: u8,
}

/// Takes what is known only when the program runs.
#[tool]
fn take(theirs: Theirs) -> u8 {
    theirs.id
}

struct Shelf(usize);

#[tool]
impl Shelf {
    /// How many there are.
    #[tool]
    fn count(&self, of: Vec<String>) -> usize {
        of.len() + self.0
    }
}

#[test]
fn what_compiles_for_a_dialect_is_lowered_to_it() {
    let tools = tools! {
        targets: [openai_strict, anthropic_strict, gemini_openapi, gemini_json, deepseek_strict, ollama, mcp_2026_07_28],
        unproven: [take];
        send as "send_message", take, ..Shelf(1): Shelf
    };
    let targets = [
        Dialect::OpenAiStrict,
        Dialect::AnthropicStrict,
        Dialect::GeminiOpenApi,
        Dialect::GeminiJson,
        Dialect::DeepSeekStrict,
        Dialect::Ollama,
        Dialect::Mcp20260728,
    ];
    assert_eq!(tools.iter().len(), 3);
    for def in tools.definitions() {
        for dialect in targets {
            assert!(lower(&def.input, dialect).is_ok(), "{} {dialect}", def.name);
        }
    }
}
