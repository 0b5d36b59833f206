//! Any text as the response of a provider.

mod answers;
mod forms;
mod streams;
mod whole;

use std::sync::LazyLock;

use serde::de::IgnoredAny;
use toolwright::{Context, Encoder, ToolCall, ToolResult, Toolset, Wire};

use crate::{selected, tools};

static TOOLS: LazyLock<Toolset> = LazyLock::new(tools::all);

/// The wires, as the first byte of an input selects them.
const WIRES: [Wire; 8] = [
    Wire::OpenAiChat,
    Wire::Anthropic,
    Wire::OpenAiResponses,
    Wire::Gemini,
    Wire::Ollama,
    Wire::BedrockConverse,
    Wire::Mcp,
    Wire::Mcp2026,
];

/// Checks all that holds for any response.
///
/// # Panics
/// When one of it does not hold.
pub fn check(input: &[u8]) {
    let Some((kind, response)) = selected(input, WIRES.len()) else {
        return;
    };
    let wire = WIRES[kind];
    check_definition(wire, &response);
    streams::check(wire, &response);
    if let Some(calls) = check_response(wire, &response) {
        streams::check_streamed(wire, &calls);
        streams::check_one_event(wire, &response, &calls);
    }
}

/// What holds for a response, if it is one; its calls.
fn check_response(wire: Wire, response: &str) -> Option<Vec<ToolCall>> {
    let calls = match wire.calls(response) {
        Ok(calls) => calls,
        Err(error) => {
            check_error(&error.to_string());
            assert!(wire.turn(response, &[], Encoder::auto()).is_err());
            return None;
        }
    };
    assert!(calls.iter().all(|call| !call.id.is_empty()), "{calls:?}");
    whole::check(wire, response, &calls);
    Some(calls)
}

/// The answers to the calls.
fn results(calls: &[ToolCall]) -> Vec<ToolResult> {
    let cx = Context::new();
    let results = calls.iter().map(|call| TOOLS.call_blocking(call, &cx));
    results.collect()
}

/// A stored definition that can be read is written as one that reads the same.
fn check_definition(wire: Wire, text: &str) {
    match wire.parse_definition(text) {
        Ok(def) => {
            let written = wire.definition(&def);
            let again = wire
                .parse_definition(&written)
                .expect("what we have written");
            assert_eq!(again, def, "{written}");
            assert_eq!(wire.definition(&again), written);
        }
        Err(error) => check_error(&error.to_string()),
    }
}

fn check_error(error: &str) {
    assert!(!error.is_empty());
    assert!(!error.contains(char::is_control), "{error:?}");
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{') && is_json(text)
}
