//! A call without arguments, however a provider spells that: on every wire, with repairs on and off.
#![allow(clippy::unwrap_used)]

use toolwright::{Context, Encoder, Wire, tool, tools};

/// Greets.
#[tool]
fn greet(#[arg(default = "you")] name: &str) -> String {
    format!("Hello, {name}!")
}

/// A response with one call, where `$` stands for its arguments, and the key that they stand behind.
fn response(wire: Wire) -> (&'static str, &'static str) {
    match wire {
        Wire::OpenAiChat => (
            r#"{"choices":[{"message":{"tool_calls":[{"id":"c","function":{"name":"greet"$}}]}}]}"#,
            "arguments",
        ),
        Wire::OpenAiResponses => (
            r#"{"output":[{"type":"function_call","call_id":"c","name":"greet"$}]}"#,
            "arguments",
        ),
        Wire::Anthropic => (
            r#"{"content":[{"type":"tool_use","id":"c","name":"greet"$}]}"#,
            "input",
        ),
        Wire::Gemini => (
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"greet"$}}]}}]}"#,
            "args",
        ),
        Wire::Ollama => (
            r#"{"message":{"tool_calls":[{"function":{"name":"greet"$}}]}}"#,
            "arguments",
        ),
        Wire::BedrockConverse => (
            r#"{"output":{"message":{"content":[{"toolUse":{"toolUseId":"c","name":"greet"$}}]}}}"#,
            "input",
        ),
        Wire::Mcp | Wire::Mcp2026 => (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet"$}}"#,
            "arguments",
        ),
        other => panic!("{other:?} has no row"),
    }
}

#[test]
fn missing_null_and_blank_arguments_are_an_empty_object_on_every_wire() {
    let tools = tools![greet];
    for wire in Wire::ALL {
        let (response, key) = response(wire);
        for value in [
            None,
            Some("null"),
            Some("{}"),
            Some(r#""""#),
            Some(r#"" ""#),
        ] {
            let arguments = value.map_or(String::new(), |value| format!(r#","{key}":{value}"#));
            for cx in [
                Context::new(),
                Context::new().with_repairs(toolwright::args::Repairs::None),
            ] {
                let calls = wire.calls(&response.replace('$', &arguments)).unwrap();
                let [call] = calls.as_slice() else {
                    panic!("{wire:?} {value:?}: {calls:?}");
                };
                let result = tools.call_blocking(call, &cx);
                let told = result.content(Encoder::auto());
                assert_eq!(told, "Hello, you!", "{wire:?} {value:?}");
                assert!(result.repairs.is_empty(), "{wire:?} {value:?}");
            }
        }
    }
}
