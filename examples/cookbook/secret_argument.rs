// How do I give a tool a secret argument?

use toolwright::executor::Event;
use toolwright::{Context, Encoder, Executor, ToolCall, tool, tools};

/// Open the safe.
#[tool]
fn open_safe(
    room: &str,
    /// The code that the user typed
    #[arg(secret, pattern = "^[0-9]{6}$")]
    code: &str,
) -> String {
    let open = if code == "493817" { "open" } else { "shut" };
    format!("The safe in the {room} is {open}")
}

fn main() {
    let tools = tools![open_safe];
    let executor = Executor::serial(&tools).on_event(|event| {
        // `call.arguments` has the code; `redacted` is for logs.
        if let Event::Started { redacted, .. } = event {
            println!("log: {redacted}");
        }
    });
    let calls = [
        ToolCall::new("1", "open_safe", r#"{"room": "hall", "code": "493817"}"#),
        ToolCall::new("2", "open_safe", r#"{"room": "hall", "code": "hunter2"}"#),
    ];
    let batch = executor.run_blocking(&calls, &Context::new());
    for result in batch.results() {
        println!("{}", result.content(Encoder::auto()));
    }
}

// Prints:
// log: {"room":"hall","code":"[secret]"}
// log: {"room":"hall","code":"[secret]"}
// The safe in the hall is open
// code: expected a string that matches `^[0-9]{6}$`, got a string (not shown)
