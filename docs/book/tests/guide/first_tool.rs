//! The page `first-tool.md`.

// ANCHOR: program
use toolwright::{Context, Encoder, Wire, tool, tools};

/// Weather forecast of a city.
#[tool]
fn forecast(
    /// City name
    city: &str,
    /// How many days, counted from today
    #[arg(default = 3)]
    days: u8,
) -> String {
    format!("{days} days of sun in {city}")
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tools = tools![forecast];
    println!("{}", Wire::OpenAiChat.definitions(&tools)); // goes into the request's `tools`
    // What the provider answers when its model calls the tool.
    let response = r#"{"choices": [{"message": {"tool_calls": [{"id": "call_1", "type": "function",
        "function": {"name": "forecast", "arguments": "{\"city\": \"Oslo\"}"}}]}}]}"#;
    for call in Wire::OpenAiChat.calls(response)? {
        let result = tools.call_blocking(&call, &Context::new());
        println!("{}: {}", call.id, result.content(Encoder::auto()));
    }
    Ok(())
}
// ANCHOR_END: program

use crate::output;

#[test]
fn it_prints_what_the_page_shows() {
    let printed = output::of(|| main().unwrap());
    let (definitions, answer) = printed.split_once('\n').unwrap();
    output::shown_json("first_tool.definitions.json", definitions);
    output::shown("first_tool.txt", answer);
}
