// How do I log every call?

use toolwright::executor::Event;
use toolwright::{Context, Executor, ToolCall, tool, tools};

/// Divide two numbers.
#[tool]
fn divide(a: i32, b: i32) -> Result<i32, &'static str> {
    a.checked_div(b).ok_or("cannot divide by zero")
}

fn log(event: &Event<'_>) {
    let Event::Finished {
        call,
        redacted,
        result,
        ..
    } = event
    else {
        return;
    };
    let how = match &result.outcome {
        Ok(_) => "ok",
        Err(error) => error.kind().as_str(),
    };
    // Events come when things happen: unknown tools are answered first.
    // `result.duration` and `event.context()` are there too.
    println!("{} {} {redacted}: {how}", call.id, call.name);
}

fn main() {
    let tools = tools![divide];
    let executor = Executor::serial(&tools).on_event(log);
    let calls = [
        ToolCall::new("call_1", "divide", r#"{"a": 6, "b": 3}"#),
        ToolCall::new("call_2", "divide", r#"{"a": 6, "b": 0}"#),
        ToolCall::new("call_3", "divide", r#"{"a": 6, "b": "three"}"#),
        ToolCall::new("call_4", "multiply", r#"{"a": 6}"#),
    ];
    executor.run_blocking(&calls, &Context::new());
}

// Prints:
// call_4 multiply "[8 bytes]": unknown_tool
// call_1 divide {"a": 6, "b": 3}: ok
// call_2 divide {"a": 6, "b": 0}: failed
// call_3 divide {"a": 6, "b": "three"}: invalid_args
