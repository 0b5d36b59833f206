//! Counts of tokens: what the bound holds to, and what counts by it. `schemas/tokens.rs` has the real tokenizers.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used)]

use serde::Deserialize;
use toolwright::tokens::{Tokenizer, bound};
use toolwright::toolset::Namespace;
use toolwright::{ToolDef, Toolset, tool, tools};

/// A text, and its tokens by Python's `tiktoken` 0.12.
#[derive(Deserialize)]
struct Reference {
    text: String,
    o200k: usize,
    cl100k: usize,
}

#[test]
fn no_text_takes_more_than_its_bound() {
    let mut seen = 0;
    for line in include_str!("tokens/reference.jsonl").lines() {
        let Reference {
            text,
            o200k,
            cl100k,
        } = serde_json::from_str(line).unwrap();
        assert!(
            bound(&text) >= o200k.max(cl100k),
            "{text:?}: {}",
            bound(&text)
        );
        seen += 1;
    }
    assert!(seen > 90, "{seen}");
}

#[test]
fn a_byte_is_at_most_a_token() {
    for text in ["", "a", "!?", "x9", "ß", "天気", "😀", "\u{0}"] {
        assert!(bound(text) <= text.len(), "{text:?}");
    }
    assert_eq!(bound("天気"), 6);
    // A token has three digits at most, and two count here.
    assert!((1_000..2_000).contains(&bound(&"9".repeat(3_000))));
}

/// Adds two numbers.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Divides.
#[tool]
fn divide(a: f64, #[arg(range(1.0..=2.0), default = 1.5)] b: f64) -> f64 {
    a / b
}

#[test]
fn a_toolset_counts_what_a_request_has() {
    let tools = tools![add, divide];
    let each = |tools: &Toolset| tools.requested().map(ToolDef::token_bound).sum::<usize>();
    for by in Tokenizer::ALL {
        let sum: usize = tools.definitions().map(|def| def.tokens(*by)).sum();
        assert!(sum > 0, "{by}");
    }
    let all: usize = tools.definitions().map(ToolDef::token_bound).sum();
    assert_eq!(each(&tools), all);
    // Deferred ones count when they are loaded.
    let math = Namespace::new("math").unwrap();
    let deferred = tools![divide].defer(math);
    let deferred = tools![add].merge(&deferred).unwrap();
    let (none, one) = (each(&deferred), deferred.load(["divide"]));
    let divide = tools.get("divide").unwrap().def().token_bound();
    assert_eq!(each(&one), none + divide);
}

#[test]
fn a_definition_counts_as_its_text() {
    let def = ToolDef::new("say \"hi\"", "Says\nit.");
    let text = r#"{"name":"say \"hi\"","description":"Says\nit.","input_schema":{"type":"object","properties":{},"additionalProperties":false}}"#;
    assert_eq!(def.tokens(Tokenizer::Gemini), Tokenizer::Gemini.count(text));
    assert_eq!(def.tokens(Tokenizer::Claude), Tokenizer::Claude.count(text));
}

#[test]
fn estimates_are_what_providers_document() {
    // 3.5 characters, and 4; one of another script.
    for (text, claude, gemini) in [
        ("", 0, 0),
        ("a", 1, 1),
        ("seven c", 2, 2),
        ("天気天気", 4, 4),
    ] {
        assert_eq!(Tokenizer::Claude.count(text), claude, "{text}");
        assert_eq!(Tokenizer::Gemini.count(text), gemini, "{text}");
    }
}

#[test]
fn a_tokenizer_is_found_by_its_name() {
    for by in Tokenizer::ALL {
        assert_eq!(by.to_string().parse(), Ok(*by));
    }
    let error = "gpt-4".parse::<Tokenizer>().unwrap_err().to_string();
    assert!(
        error.starts_with("no tokenizer is called `gpt-4`; there are bound, "),
        "{error}"
    );
    assert!(error.ends_with("claude, gemini"), "{error}");
}

/// What `tools!` refuses a budget by is what the definitions count at run time.
#[test]
fn the_budget_of_a_list_is_the_sum_of_the_bounds() {
    let tools = tools! { budget: 141; add, divide };
    let bounds = tools.definitions().map(ToolDef::token_bound);
    assert_eq!(bounds.sum::<usize>(), 141);
}
