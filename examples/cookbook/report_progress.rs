// How do I report progress?

use toolwright::call::Progress;
use toolwright::executor::Event;
use toolwright::{Context, Encoder, Executor, ToolCall, tool, tools};

/// Import the customers of a file.
#[tool]
async fn import_customers(file: &str, cx: &Context) -> String {
    let steps = ["read the file", "checked the names", "saved"];
    for (done, step) in (1_u8..).zip(steps) {
        tokio::task::yield_now().await; // the work
        let progress = Progress::new(done.into()).with_total(3.0);
        cx.progress(progress.with_message(step));
    }
    format!("The customers of {file} are imported")
}

#[tokio::main]
async fn main() {
    let tools = tools![import_customers];
    let executor = Executor::serial(&tools).on_event(|event| {
        if let Event::Progress { id, progress, .. } = event {
            let (done, total) = (progress.done, progress.total.unwrap_or_default());
            let message = progress.message.as_deref().unwrap_or_default();
            println!("{id}: {done} of {total}, {message}");
        }
    });
    let arguments = r#"{"file": "may.csv"}"#;
    let calls = [ToolCall::new("call_1", "import_customers", arguments)];
    let batch = executor.run(&calls, &Context::new()).await;
    for result in batch.results() {
        println!("{}: {}", result.id, result.content(Encoder::auto()));
    }
}

// Prints:
// call_1: 1 of 3, read the file
// call_1: 2 of 3, checked the names
// call_1: 3 of 3, saved
// call_1: The customers of may.csv are imported
