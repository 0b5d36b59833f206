//! Patterns: published as they were written, and run as JSON Schema means them.
// A test that finds less than it expects has failed.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, dead_code)]

use serde_json::json;
use toolwright::{
    Context, Schema, ToolCall,
    schema::{Kind, SchemaDoc, Shape},
    tool, tools,
};

/// The answers of the first pattern in a tree.
fn answers(shape: &Shape<'_>, texts: &[&str]) -> Vec<bool> {
    let pattern = match shape.kind {
        Kind::Object(object) => return answers(object.fields.first().unwrap().shape, texts),
        Kind::Nullable(inner) => return answers(inner, texts),
        Kind::Bounded(inner, bounds) => match bounds.pattern {
            Some(pattern) => pattern,
            None => return answers(inner, texts),
        },
        Kind::String(rules) => rules.pattern.unwrap(),
        _ => panic!("no pattern"),
    };
    texts.iter().map(|text| pattern.is_match(text)).collect()
}

/// In the crate `regex` `\d` is any digit of Unicode.
const TEXTS: [&str; 4] = ["no-12", "no-١٢", "no-1", "no-12\n"];
const ANSWERS: [bool; 4] = [true, false, false, false];

#[derive(Schema)]
struct Ours {
    #[schema(pattern = r"^no-\d{2}$")]
    code: Option<String>,
}

#[derive(Schema)]
struct Theirs {
    #[schemars(regex(pattern = r"^no-\d{2}$"))]
    code: String,
}

#[derive(Schema)]
struct Newtype(#[schema(pattern = r"^no-\d{2}$")] String);

#[derive(Schema)]
struct Generic<T> {
    #[schema(pattern = r"^no-\d{2}$")]
    code: T,
}

#[test]
fn a_pattern_is_run_as_json_schema_means_it() {
    for shape in [
        Ours::SHAPE,
        Theirs::SHAPE,
        Newtype::SHAPE,
        Generic::<String>::SHAPE,
    ] {
        assert_eq!(answers(shape, &TEXTS), ANSWERS);
    }
}

#[test]
fn a_call_is_refused_whose_text_does_not_match() {
    /// Finds it.
    #[tool]
    fn find(#[arg(pattern = r"^no-\d{2}$")] code: &str) -> usize {
        code.len()
    }
    let tools = tools![find];
    for (text, is_fine) in TEXTS.into_iter().zip(ANSWERS) {
        let call = ToolCall::new("call_1", "find", json!({ "code": text }).to_string());
        let result = tools.call_blocking(&call, &Context::new());
        assert_eq!(result.value().is_some(), is_fine, "{text:?}");
    }
}

#[test]
fn a_pattern_is_published_as_it_is_written() {
    /// Finds it.
    #[tool]
    fn find(#[arg(pattern = r"^no-\d{2}$")] code: &str) {
        let _ = code;
    }
    let tools = tools![find];
    let schema = tools.get("find").unwrap().def().input.to_value();
    assert_eq!(schema["properties"]["code"]["pattern"], r"^no-\d{2}$");
    assert_eq!(
        SchemaDoc::of::<Newtype>().to_value(),
        json!({"type": "string", "pattern": r"^no-\d{2}$"})
    );
}

#[cfg(feature = "rust_decimal")]
#[test]
fn a_decimal_is_digits_with_a_point() {
    let texts = ["-1.50", "1", "1.", "1e2", "1\n"];
    let answers = answers(rust_decimal::Decimal::SHAPE, &texts);
    assert_eq!(answers, [true, true, false, false, false]);
}
