// How do I return structured data with an output schema?

use serde::Serialize;
use toolwright::{Context, Encoder, Schema, ToolCall, Wire, tool, tools};

// `Serialize` writes the value, `Schema` publishes its form.
/// Weather of one moment
#[derive(Serialize, Schema)]
struct Weather {
    /// Degrees Celsius
    celsius: f64,
    /// What falls from the sky, if anything
    #[serde(skip_serializing_if = "Option::is_none")]
    falls: Option<&'static str>,
}

/// Measure the weather of a city.
#[tool(read_only)]
fn weather(city: &str) -> Weather {
    Weather {
        celsius: if city == "Oslo" { -3.5 } else { 21.0 },
        falls: (city == "Oslo").then_some("snow"),
    }
}

fn main() {
    let tools = tools![weather];
    for def in tools.definitions() {
        if let Some(output) = &def.output {
            println!("{}", output.as_json());
        }
    }
    let call = ToolCall::new("call_1", "weather", r#"{"city": "Oslo"}"#);
    let result = tools.call_blocking(&call, &Context::new());
    println!("{}", result.content(Encoder::auto()));
    // A client of MCP gets it as `structuredContent`, which fits the schema.
    println!("{}", Wire::Mcp.results(&[result], Encoder::auto()));
}

// Prints:
// {"type":"object","description":"Weather of one moment","properties":{"celsius":{"type":"number","description":"Degrees Celsius"},"falls":{"type":["string","null"],"description":"What falls from the sky, if anything"}},"required":["celsius"]}
// {"celsius":-3.5,"falls":"snow"}
// [{"content":[{"type":"text","text":"{\"celsius\":-3.5,\"falls\":\"snow\"}"}],"structuredContent":{"celsius":-3.5,"falls":"snow"}}]
