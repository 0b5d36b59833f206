// How do I use two providers with one toolset?

use toolwright::{Context, Encoder, Wire, tool, tools};

/// Add two numbers.
#[tool(read_only)]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

const OPENAI: &str = r#"{"choices": [{"message": {"role": "assistant", "tool_calls": [{
    "id": "call_1", "type": "function",
    "function": {"name": "add", "arguments": "{\"a\": 1, \"b\": 2}"}
}]}}]}"#;

const ANTHROPIC: &str = r#"{"role": "assistant", "content": [
    {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 3, "b": 4}}
]}"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tools = tools![add];
    for (wire, response) in [(Wire::OpenAiChat, OPENAI), (Wire::Anthropic, ANTHROPIC)] {
        // The request's `tools`, in this provider's format.
        println!("{}", wire.definitions(&tools));

        let mut results = Vec::new();
        for call in wire.calls(response)? {
            results.push(tools.call(&call, &Context::new()).await);
        }
        // For the next request, behind the response's own message.
        println!("{}", wire.results(&results, Encoder::auto()));
    }
    Ok(())
}

// Prints:
// [{"type":"function","function":{"name":"add","description":"Add two numbers.","parameters":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"],"additionalProperties":false}}}]
// [{"role":"tool","tool_call_id":"call_1","content":"3"}]
// [{"name":"add","description":"Add two numbers.","input_schema":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"],"additionalProperties":false}}]
// [{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"7"}]}]
