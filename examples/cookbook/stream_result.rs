// How do I return a result in parts?

use futures_util::stream;
use toolwright::call::Items;
use toolwright::executor::Event;
use toolwright::{Context, Encoder, Executor, ToolCall, tool, tools};

/// Search the archive, year by year.
// The last item is the result. Each item before it is progress.
#[tool(read_only)]
fn search_archive(words: &str, from: u16, to: u16) -> Items<Vec<String>> {
    let words = words.to_owned();
    let mut found = Vec::new();
    Items::new(stream::iter((from..=to).map(move |year| {
        found.push(format!("{words}, {year}"));
        found.clone()
    })))
}

#[tokio::main]
async fn main() {
    let tools = tools![search_archive];
    let executor = Executor::serial(&tools).on_event(|event| {
        if let Event::Progress { progress, .. } = event
            && let Some(item) = &progress.item
        {
            println!("so far: {item}");
        }
    });
    let arguments = r#"{"words": "Floods", "from": 1999, "to": 2001}"#;
    let calls = [ToolCall::new("call_1", "search_archive", arguments)];
    let batch = executor.run(&calls, &Context::new()).await;
    for result in batch.results() {
        println!("result: {}", result.content(Encoder::auto()));
    }
}

// Prints:
// so far: ["Floods, 1999"]
// so far: ["Floods, 1999","Floods, 2000"]
// result: ["Floods, 1999","Floods, 2000","Floods, 2001"]
