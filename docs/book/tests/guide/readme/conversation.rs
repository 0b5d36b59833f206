// ANCHOR: program
use serde_json::{Value, json};
use toolwright::{Context, Encoder, Executor, Toolset, Wire};

type Response = Result<String, Box<dyn std::error::Error>>;
/// Goes on until the model has no more calls. `send` posts a body with the HTTP client of your choice.
async fn converse(
    tools: &Toolset,
    mut messages: Vec<Value>,
    send: impl AsyncFn(String) -> Response,
) -> Response {
    let executor = Executor::parallel(tools, 8);
    loop {
        let (history, tools) = (json!(messages), Wire::OpenAiChat.definitions(tools));
        let body = format!(r#"{{"model": "gpt-5", "messages": {history}, "tools": {tools}}}"#);
        let response = send(body).await?;
        let calls = Wire::OpenAiChat.calls(&response)?;
        if calls.is_empty() {
            return Ok(response);
        }
        let batch = executor.run(&calls, &Context::new()).await;
        let results: Vec<_> = batch.into_results().collect(); // in call order
        let turn = Wire::OpenAiChat.turn(&response, &results, Encoder::auto())?;
        messages.append(&mut serde_json::from_str(&turn)?);
    }
}
// ANCHOR_END: program

use std::cell::RefCell;

use toolwright::{tool, tools};

/// Weather forecast of a city.
#[tool]
fn forecast(city: &str, days: u8) -> String {
    format!("{days} days of sun in {city}")
}

#[tokio::test]
async fn a_model_corrects_its_call() {
    let call = |id: &str, arguments: &str| {
        json!({"choices": [{"message": {"role": "assistant", "content": null, "tool_calls": [{
            "id": id, "type": "function",
            "function": {"name": "forecast", "arguments": arguments}
        }]}}]})
    };
    let end = json!({"choices": [{"message": {"role": "assistant", "content": "Sun!"}}]});
    let said = RefCell::new(vec![
        end,
        call("call_2", r#"{"city": "Oslo", "days": 3}"#),
        call("call_1", r#"{"city": "Oslo", "days": "many"}"#),
    ]);
    let bodies = RefCell::new(Vec::new());
    let send = async |body: String| {
        let body: Value = serde_json::from_str(&body)?;
        bodies.borrow_mut().push(body);
        Ok(said.borrow_mut().pop().unwrap().to_string())
    };
    let question = json!({"role": "user", "content": "How is Oslo?"});
    let response = converse(&tools![forecast], vec![question], send)
        .await
        .unwrap();
    assert!(response.contains("Sun!"));
    let bodies = bodies.into_inner();
    assert_eq!(bodies.len(), 3);
    assert_eq!(bodies[0]["tools"][0]["function"]["name"], "forecast");
    let messages = bodies[2]["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 5);
    let first = messages[2]["content"].as_str().unwrap();
    assert!(first.starts_with("days: expected an integer"), "{first}");
    assert_eq!(messages[4]["content"], "3 days of sun in Oslo");
    assert_eq!(messages[4]["tool_call_id"], "call_2");
}
