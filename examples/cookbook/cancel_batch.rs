// How do I cancel a batch that runs?

use std::time::Duration;

use toolwright::call::Cancel;
use toolwright::executor::Event;
use toolwright::{Context, Encoder, Executor, ToolCall, tool, tools};

/// Count the visitors of today.
#[tool]
async fn count_visitors() -> u32 {
    312
}

/// Write the report of the year.
#[tool(timeout = "24h")]
async fn write_report() -> &'static str {
    tokio::time::sleep(Duration::from_hours(12)).await;
    "done"
}

#[tokio::main]
async fn main() {
    let stop = Cancel::new();
    let cx = Context::new().with_cancel(stop.clone());

    // Somebody closes the page after the first answer.
    let tools = tools![count_visitors, write_report];
    let executor = Executor::parallel(&tools, 8).on_event(move |event| {
        if let Event::Finished { .. } = event {
            stop.cancel();
        }
    });
    let calls = [
        ToolCall::new("call_1", "write_report", "{}"),
        ToolCall::new("call_2", "count_visitors", "{}"),
    ];
    let batch = executor.run(&calls, &cx).await;
    for result in batch.results() {
        println!("{}: {}", result.name, result.content(Encoder::auto()));
    }
    if let Some(halted) = batch.halted() {
        println!("the batch is {}", halted.as_str());
    }
}

// Prints:
// write_report: the call was cancelled
// count_visitors: 312
// the batch is cancelled
