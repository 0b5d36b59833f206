// ANCHOR: program
use toolwright::{Context, Encoder, Executor, Wire, tool, tools};

/// Looks up the price of an article in euros.
#[tool(read_only)]
async fn price(article: &str) -> Result<f64, String> {
    match article {
        "tea" => Ok(4.5),
        "cake" => panic!("the price of cake is negative"),
        _ => Err(format!("there is no {article}")),
    }
}

#[tokio::main]
async fn main() {
    let tools = tools![price];
    let executor = Executor::parallel(&tools, 8);

    // A model's turn: five calls, four of them with a problem.
    let response = r#"{"content": [
        {"type": "tool_use", "id": "call_1", "name": "price", "input": {"article": "tea"}},
        {"type": "tool_use", "id": "call_2", "name": "price", "input": {"article": "coal"}},
        {"type": "tool_use", "id": "call_3", "name": "price", "input": {"article": "cake"}},
        {"type": "tool_use", "id": "call_4", "name": "price", "input": {"article": 5}},
        {"type": "tool_use", "id": "call_5", "name": "prices", "input": {}}
    ]}"#;
    let calls = Wire::Anthropic.calls(response).expect("it is a response");

    let batch = executor.run(&calls, &Context::new()).await;
    for result in batch.results() {
        println!("{}: {}", result.id, result.content(Encoder::auto()));
    }
    println!("{:?}", batch.halted());
}
// ANCHOR_END: program

#[test]
fn it_prints_what_the_page_shows() {
    crate::output::shown("turns.txt", &crate::output::of(main));
}
