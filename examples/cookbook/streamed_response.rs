// How do I read a streamed response?

use toolwright::wire::StreamEvent;
use toolwright::{Context, Encoder, Wire, tool, tools};

/// Weather of a city.
#[tool(read_only)]
fn weather(city: &str) -> String {
    format!("sun in {city}")
}

// The lines of the response's body, as they arrive.
const LINES: [&str; 6] = [
    r#"data: {"choices":[{"delta":{"role":"assistant","content":"Let me "}}]}"#,
    r#"data: {"choices":[{"delta":{"content":"see."}}]}"#,
    r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"weather","arguments":"{\"city\":"}}]}}]}"#,
    r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":" \"Oslo\"}"}}]}}]}"#,
    r#"data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
    "data: [DONE]",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tools = tools![weather];
    let mut stream = Wire::OpenAiChat.accumulator();
    for line in LINES {
        for event in stream.push(line)? {
            match event {
                StreamEvent::Text(text) => println!("text: {text}"),
                StreamEvent::Call { name, .. } => println!("call: {name}"),
                StreamEvent::Arguments { text, .. } => println!("arguments: {text}"),
                _ => {}
            }
        }
    }
    // The response as the provider would have sent it in one piece.
    let streamed = stream.finish()?;
    for call in Wire::OpenAiChat.calls(&streamed.response)? {
        let result = tools.call_blocking(&call, &Context::new());
        println!("result: {}", result.content(Encoder::auto()));
    }
    Ok(())
}

// Prints:
// text: Let me
// text: see.
// call: weather
// arguments: {"city":
// arguments:  "Oslo"}
// result: sun in Oslo
