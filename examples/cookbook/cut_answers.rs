// How do I cut answers that are too long?

use toolwright::executor::{OutputLimit, Overflow};
use toolwright::{Context, Encoder, Executor, ToolCall, tool, tools};

/// Read the log of a service.
#[tool(read_only)]
fn read_log(service: &str) -> String {
    let line = |minute| format!("12:{minute:02} {service} is fine\n");
    (0..60).map(line).collect()
}

#[tokio::main]
async fn main() {
    // Keeps what was cut, up to 1 MB, and has a tool to read it.
    let overflow = Overflow::new(1_000_000);
    let tools = tools![read_log].with(overflow.tool());
    let limit = OutputLimit::new(50_000, 3).overflow(&overflow); // bytes, lines
    let executor = Executor::serial(&tools).output_limit(limit);

    for call in [
        ToolCall::new("call_1", "read_log", r#"{"service": "mail"}"#),
        // What the model does to read on.
        ToolCall::new(
            "call_2",
            "read_output",
            r#"{"id": "output_1", "offset": 57}"#,
        ),
    ] {
        let cx = Context::new().with_session("chat_1");
        let batch = executor.run(&[call], &cx).await;
        for result in batch.results() {
            println!("{}", result.content(Encoder::auto()));
        }
    }
}

// Prints:
// 12:00 mail is fine
// 12:01 mail is fine
// 12:02 mail is fine
// [output truncated: 1083 of 1140 bytes left out; `read_output` reads on, with id output_1 and offset 57]
// 12:03 mail is fine
// 12:04 mail is fine
// 12:05 mail is fine
// [the output goes on at offset 114 of 1140]
