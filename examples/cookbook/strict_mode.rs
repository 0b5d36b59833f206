// How do I prove at compile time that tools fit a strict mode?

use std::collections::BTreeMap;

use toolwright::{Context, Dialect, Encoder, Wire, tool, tools};

/// Order articles.
#[tool]
fn order(
    /// Pieces of each article
    articles: BTreeMap<String, u8>,
    /// Words for the courier
    note: Option<&str>,
) -> String {
    let pieces: u32 = articles.into_values().map(u32::from).sum();
    format!("{pieces} pieces, {}", note.unwrap_or("no note"))
}

// Strict modes have no maps: the model writes a list of `key` and `value`.
const RESPONSE: &str = r#"{"choices": [{"message": {"tool_calls": [{
    "id": "call_1", "type": "function", "function": {"name": "order", "arguments":
    "{\"articles\": [{\"key\": \"tea\", \"value\": 2}], \"note\": null}"}
}]}}]}"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A tool that one of these modes cannot express does not compile.
    let tools = tools! { targets: [openai_strict, anthropic_strict]; order };

    let sent = Wire::OpenAiChat.definitions_in(&tools, Dialect::OpenAiStrict)?;
    println!("{}", sent.text());
    for call in sent.calls(RESPONSE)? {
        let result = tools.call_blocking(&call, &Context::new());
        println!("{}", result.content(Encoder::auto()));
    }
    Ok(())
}

// Prints:
// [{"type":"function","function":{"name":"order","description":"Order articles.","parameters":{"type":"object","properties":{"articles":{"type":"array","items":{"type":"object","properties":{"key":{"type":"string"},"value":{"type":"integer","minimum":0,"maximum":255}},"required":["key","value"],"additionalProperties":false},"description":"Pieces of each article"},"note":{"type":["string","null"],"description":"Words for the courier"}},"required":["articles","note"],"additionalProperties":false},"strict":true}}]
// 2 pieces, no note
