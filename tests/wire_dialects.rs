//! Definitions in a provider's dialect, and the calls that come back.
#![allow(clippy::unwrap_used, clippy::needless_pass_by_value)]

use std::collections::BTreeMap;

use serde_json::Value;
use toolwright::{Context, Dialect, Encoder, Loose, ToolCall, Wire, tool, tools};

/// Counts copies.
#[tool]
fn count(
    /// By title
    copies: BTreeMap<String, u8>,
    #[arg(range(1..=9))] most: Option<u8>,
) -> String {
    format!("{copies:?} {most:?}")
}

/// Stores anything.
#[tool]
fn store(record: Value) -> Value {
    record
}

/// Does nothing.
#[tool]
fn rest() {}

fn sent(wire: Wire, dialect: Dialect) -> Value {
    let sent = wire.definitions_in(&tools![count, rest], dialect).unwrap();
    assert!(sent.loose.is_empty(), "{:?}", sent.loose);
    serde_json::from_str(&sent.text).unwrap()
}

fn at<'v>(value: &'v Value, pointer: &str) -> &'v Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

#[test]
fn each_wire_says_strict_in_its_own_place() {
    for (wire, dialect, strict, schema) in [
        (
            Wire::OpenAiChat,
            Dialect::OpenAiStrict,
            "/0/function/strict",
            "/0/function/parameters",
        ),
        (
            Wire::OpenAiResponses,
            Dialect::OpenAiStrict,
            "/0/strict",
            "/0/parameters",
        ),
        (
            Wire::Anthropic,
            Dialect::AnthropicStrict,
            "/0/strict",
            "/0/input_schema",
        ),
        (
            Wire::OpenAiChat,
            Dialect::DeepSeekStrict,
            "/0/function/strict",
            "/0/function/parameters",
        ),
    ] {
        let tools = sent(wire, dialect);
        assert_eq!(at(&tools, strict), true, "{dialect}: {tools}");
        let copies = at(&tools, schema).pointer("/properties/copies/type");
        assert_eq!(copies.unwrap(), "array", "{dialect}: {tools}");
    }
    let plain: Value = serde_json::from_str(Wire::OpenAiChat.definitions(&tools![count])).unwrap();
    assert_eq!(*at(&plain, "/0/function/strict"), Value::Null);
}

#[test]
fn geminis_two_forms_have_two_keys() {
    let openapi = sent(Wire::Gemini, Dialect::GeminiOpenApi);
    let first = at(&openapi, "/0/functionDeclarations/0");
    assert_eq!(
        at(first, "/parameters/properties/copies/type"),
        "array",
        "{first}"
    );
    assert_eq!(
        at(first, "/parameters/properties/most/nullable"),
        true,
        "{first}"
    );
    // A tool without arguments has no schema there.
    assert_eq!(
        *at(&openapi, "/0/functionDeclarations/1/parameters"),
        Value::Null
    );
    let json = sent(Wire::Gemini, Dialect::GeminiJson);
    let copies = at(
        &json,
        "/0/functionDeclarations/0/parametersJsonSchema/properties/copies/type",
    );
    assert_eq!(copies, "object", "{json}");
}

#[test]
fn what_a_strict_mode_cannot_say_is_sent_without_it_and_told() {
    let tools = tools![count, store];
    let sent = Wire::OpenAiChat
        .definitions_in(&tools, Dialect::OpenAiStrict)
        .unwrap();
    let loose: Vec<_> = sent
        .loose
        .iter()
        .map(|(name, why)| (name.as_str(), why))
        .collect();
    assert!(
        matches!(loose.as_slice(), [("store", Loose::Rejected(_))]),
        "{loose:?}"
    );
    let value: Value = serde_json::from_str(&sent.text).unwrap();
    assert_eq!(at(&value, "/0/function/strict"), true);
    assert_eq!(*at(&value, "/1/function/strict"), Value::Null);

    // A dialect that is no strict mode leaves no choice.
    let refused = Wire::Gemini
        .definitions_in(&tools, Dialect::GeminiOpenApi)
        .unwrap_err();
    assert!(
        refused
            .to_string()
            .starts_with("store: /record: untyped_schema"),
        "{refused}"
    );
    let renamed = tools![count].rename("count", &"c".repeat(64)).unwrap();
    assert!(
        Wire::OpenAiChat
            .definitions_in(&renamed, Dialect::OpenAiStrict)
            .is_ok()
    );
}

#[test]
fn a_requests_budget_is_kept() {
    let many = |count: usize| {
        let one = tools![rest];
        (0..count).fold(tools![], |all, index| {
            all.merge(&one.rename("rest", &format!("rest_{index}")).unwrap())
                .unwrap()
        })
    };
    let sent = Wire::Anthropic
        .definitions_in(&many(22), Dialect::AnthropicStrict)
        .unwrap();
    assert_eq!(sent.loose.len(), 2);
    assert_eq!(sent.text.matches(r#""strict":true"#).count(), 20);
    let refused = Wire::OpenAiChat
        .definitions_in(&many(129), Dialect::OpenAiStrict)
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "all tools: openai_strict takes at most 128 in one request"
    );
}

#[test]
fn what_comes_back_is_read_as_what_the_types_are() {
    let cx = Context::new().lowered();
    let call = ToolCall::new(
        "c1",
        "count",
        r#"{"copies": [{"key": "Emma", "value": 2}], "most": null}"#,
    );
    let result = tools![count].call_blocking(&call, &cx);
    assert_eq!(result.content(Encoder::auto()), r#"{"Emma": 2} None"#);
    assert!(result.repairs.is_empty());
}
