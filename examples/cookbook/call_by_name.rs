// How do I call a tool from Rust, by name and JSON?

use serde_json::json;
use toolwright::{Context, ToolError, tool, tools};

struct User(&'static str);

/// Write a greeting.
#[tool]
fn greet(name: &str, times: Option<u8>, cx: &Context) -> Vec<String> {
    let from = cx.get::<User>().map_or("nobody", |user| user.0);
    let greeting = format!("Hello {name}, from {from}");
    vec![greeting; times.unwrap_or(1).into()]
}

#[tokio::main]
async fn main() -> Result<(), ToolError> {
    let tools = tools![greet];
    let value = tools
        .call_json("greet", json!({"name": "Ada"}), &Context::new())
        .await?;
    println!("{value}");

    // With a context, for tools that read one.
    let cx = Context::new().with(User("Bob"));
    let arguments = json!({"name": "Ada", "times": 2});
    let value = tools.call_json("greet", arguments, &cx).await?;
    println!("{value}");

    // The error is the one that a model would read.
    for (name, arguments) in [("greet", json!({"times": -1})), ("great", json!({}))] {
        if let Err(error) = tools.call_json(name, arguments, &Context::new()).await {
            println!("{}: {error}", error.kind().as_str());
        }
    }
    Ok(())
}

// Prints:
// ["Hello Ada, from nobody"]
// ["Hello Ada, from Bob","Hello Ada, from Bob"]
// invalid_args: times: expected an integer from 0 to 255 or null, got -1
// name: missing, expected a string
// unknown_tool: unknown tool `great`; did you mean `greet`?
