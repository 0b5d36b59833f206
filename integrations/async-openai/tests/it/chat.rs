use async_openai::types::chat::{
    ChatCompletionRequestUserMessage, CreateChatCompletionRequest, CreateChatCompletionResponse,
};
use futures_util::StreamExt;
use serde_json::{Value, json};
use toolwright::wire::StreamEvent;
use toolwright::{Context, Dialect, DynTool, Executor, ToolCall, ToolDef, Toolset};
use toolwright_async_openai::ChatTools;

use crate::fake_provider::{Answer, FakeProvider, events, json};
use crate::{client, strict_schemas, tools};

/// Response of the model with this message.
fn response(message: &Value) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-5",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    })
}

fn calling(calls: &[(&str, &str, &str)]) -> Value {
    let calls = calls.iter().map(|(id, name, arguments)| {
        json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
    });
    json!({"role": "assistant", "tool_calls": calls.collect::<Vec<_>>()})
}

fn said(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

fn answered(id: &str, content: &str) -> Value {
    json!({"role": "tool", "content": content, "tool_call_id": id})
}

fn asked() -> Value {
    json!({"role": "user", "content": "Go."})
}

fn request(chat: &ChatTools) -> CreateChatCompletionRequest {
    let user = ChatCompletionRequestUserMessage {
        content: "Go.".into(),
        name: None,
    };
    CreateChatCompletionRequest {
        model: "gpt-5".into(),
        messages: vec![user.into()],
        tools: Some(chat.tools()),
        ..Default::default()
    }
}

/// The loop of the README.
async fn run(provider: &FakeProvider, tools: &Toolset) -> CreateChatCompletionResponse {
    let client = client(provider);
    let (executor, chat) = (Executor::parallel(tools, 8), ChatTools::new(tools).unwrap());
    let cx = Context::new();
    let mut request = request(&chat);
    loop {
        let response = client.chat().create(request.clone()).await.unwrap();
        let batch = executor.run(&chat.calls(&response).unwrap(), &cx).await;
        if batch.calls().is_empty() {
            break response;
        }
        let turn = chat.turn(&response, batch.results()).unwrap();
        request.messages.extend(turn);
    }
}

fn script<'m>(messages: impl IntoIterator<Item = &'m Value>) -> Vec<Answer> {
    let messages = messages.into_iter();
    messages.map(|message| json(&response(message))).collect()
}

#[tokio::test]
async fn a_model_corrects_its_call() {
    let wrong = calling(&[("c1", "weather", r#"{"city": "Oslo",  "days": 70}"#)]);
    let right = calling(&[("c2", "weather", r#"{"city": "Oslo", "days": 7}"#)]);
    let provider = FakeProvider::start(script([&wrong, &right, &said("Sun.")]));
    let last = run(&provider, &tools()).await;
    assert_eq!(last.choices[0].message.content.as_deref(), Some("Sun."));

    let requests = provider.requests();
    let names = [
        ("weather", "Says how the weather will be."),
        ("open", "Opens a door."),
        ("chart", "Draws a chart."),
    ];
    let declared = names.iter().zip(strict_schemas());
    let declared = declared.map(|((name, description), schema)| {
        let function = json!({
            "name": name, "description": description, "parameters": schema, "strict": true,
        });
        json!({"type": "function", "function": function})
    });
    let declared: Value = declared.collect();
    for request in &requests {
        assert_eq!(request["tools"], declared);
        // Equal values may differ in the order of their keys.
        assert_eq!(request["tools"].to_string(), declared.to_string());
    }
    assert_eq!(requests.len(), 3);
    let messages = json!([
        asked(),
        wrong,
        answered("c1", "days: expected an integer from 1 to 7, got 70"),
        right,
        answered("c2", "7 days of sun in Oslo"),
    ]);
    assert_eq!(requests[2]["messages"], messages);
}

#[tokio::test]
async fn every_call_of_a_turn_is_answered() {
    let calls = calling(&[
        ("c1", "weather", r#"{"city": "Rome", "days": 2}"#),
        ("c2", "open", r#"{"door": "back"}"#),
        ("c3", "wether", "{}"),
        ("c4", "weather", r#"{"city": "#),
        // A map in the form of the strict mode.
        ("c5", "chart", r#"{"bars": [{"key": "a", "value": 1}]}"#),
    ]);
    let provider = FakeProvider::start(script([&calls, &said("Done.")]));
    run(&provider, &tools()).await;
    let messages = &provider.requests()[1]["messages"];
    assert_eq!(messages[1], calls);
    assert_eq!(messages[2], answered("c1", "2 days of sun in Rome"));
    assert_eq!(messages[3], answered("c2", "the back door is locked"));
    let unknown = "unknown tool `wether`; did you mean `weather`?";
    assert_eq!(messages[4], answered("c3", unknown));
    assert_eq!(messages[5]["tool_call_id"], "c4");
    let broken = messages[5]["content"].as_str().unwrap();
    assert!(broken.contains("JSON"), "{broken}");
    let chart = "{\"a\": 1}\n[image, image/png]";
    assert_eq!(messages[6], answered("c5", chart));
    assert_eq!(messages.as_array().unwrap().len(), 7);
}

/// Chunks of a response: the deltas one by one, and the reason why it ended.
fn chunks(deltas: &[Value], finish_reason: Option<&str>) -> String {
    let last = finish_reason.map(|reason| (json!({}), Some(reason)));
    let deltas = deltas.iter().map(|delta| (delta.clone(), None)).chain(last);
    let mut text = String::new();
    for (delta, reason) in deltas {
        let chunk = json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        });
        text.extend(["data: ", &chunk.to_string(), "\n\n"]);
    }
    if finish_reason.is_some() {
        text += "data: [DONE]\n\n";
    }
    text
}

fn piece(index: u32, id: Option<&str>, name: Option<&str>, arguments: &str) -> Value {
    let mut call = json!({"index": index, "function": {"arguments": arguments}});
    if let (Some(id), Some(name)) = (id, name) {
        call["id"] = id.into();
        call["type"] = "function".into();
        call["function"]["name"] = name.into();
    }
    json!({"tool_calls": [call]})
}

#[tokio::test]
async fn streamed_calls_are_assembled() {
    let deltas = [
        json!({"role": "assistant", "content": "Let me see."}),
        piece(0, Some("c1"), Some("weather"), ""),
        piece(0, None, None, r#"{"city": "#),
        piece(1, Some("c2"), Some("weather"), r#"{"days": 3, "#),
        piece(0, None, None, r#""Oslo", "days": 70}"#),
        piece(1, None, None, r#""city": "Rome"}"#),
    ];
    let right = [
        json!({"role": "assistant", "content": null}),
        piece(
            0,
            Some("c3"),
            Some("weather"),
            r#"{"city": "Oslo", "days": 7}"#,
        ),
    ];
    let provider = FakeProvider::start([
        events(chunks(&deltas, Some("tool_calls"))),
        events(chunks(&right, Some("tool_calls"))),
        events(chunks(
            &[json!({"role": "assistant", "content": "Sun."})],
            Some("stop"),
        )),
    ]);
    let (client, tools) = (client(&provider), tools());
    let (executor, chat) = (
        Executor::parallel(&tools, 8),
        ChatTools::new(&tools).unwrap(),
    );
    let cx = Context::new();
    let (mut request, mut seen) = (request(&chat), Vec::new());
    let last = loop {
        let mut chunks = client.chat().create_stream(request.clone()).await.unwrap();
        let mut stream = chat.stream();
        while let Some(chunk) = chunks.next().await {
            seen.extend(stream.push(&chunk.unwrap()).unwrap());
        }
        let response = stream.finish().unwrap();
        let batch = executor.run(&chat.calls(&response).unwrap(), &cx).await;
        if batch.calls().is_empty() {
            break response;
        }
        let turn = chat.turn(&response, batch.results()).unwrap();
        request.messages.extend(turn);
    };
    assert_eq!(last.choices[0].message.content.as_deref(), Some("Sun."));
    assert_eq!(seen[0], StreamEvent::Text("Let me see.".to_owned()));

    let requests = provider.requests();
    assert_eq!(requests[0]["stream"], true);
    let mut both = calling(&[
        ("c1", "weather", r#"{"city": "Oslo", "days": 70}"#),
        ("c2", "weather", r#"{"days": 3, "city": "Rome"}"#),
    ]);
    both["content"] = "Let me see.".into();
    let messages = json!([
        asked(),
        both,
        answered("c1", "days: expected an integer from 1 to 7, got 70"),
        answered("c2", "3 days of sun in Rome"),
        calling(&[("c3", "weather", r#"{"city": "Oslo", "days": 7}"#)]),
        answered("c3", "7 days of sun in Oslo"),
    ]);
    assert_eq!(requests[2]["messages"], messages);
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_an_error() {
    let deltas = [piece(0, Some("c1"), Some("weather"), r#"{"city": "#)];
    let provider = FakeProvider::start([events(chunks(&deltas, None))]);
    let (client, chat) = (client(&provider), ChatTools::new(&tools()).unwrap());
    let mut chunks = client.chat().create_stream(request(&chat)).await.unwrap();
    let mut stream = chat.stream();
    while let Some(Ok(chunk)) = chunks.next().await {
        stream.push(&chunk).unwrap();
    }
    let error = stream.finish().unwrap_err().to_string();
    assert!(
        error.contains("before the response was complete"),
        "{error}"
    );
}

#[test]
fn a_name_that_the_provider_refuses_comes_back() {
    let tools = Toolset::new([DynTool::declare(ToolDef::new("files.list", "Lists files."))]);
    let chat = ChatTools::new(&tools.unwrap()).unwrap();
    let declared = serde_json::to_value(chat.tools()).unwrap();
    assert_eq!(declared[0]["function"]["name"], "files_list");
    let response = response(&calling(&[("c1", "files_list", "{}")]));
    let response = serde_json::from_value(response).unwrap();
    let calls = chat.calls(&response).unwrap();
    assert_eq!(calls, [ToolCall::new("c1", "files.list", "{}")]);
}

#[test]
fn another_dialect_is_possible() {
    let chat = ChatTools::in_dialect(&tools(), Dialect::OpenAiNonStrict).unwrap();
    let declared = serde_json::to_value(chat.tools()).unwrap();
    assert_eq!(declared[0]["function"].get("strict"), None);
    let bars = &declared[2]["function"]["parameters"]["properties"]["bars"];
    assert_eq!(bars["type"], "object");
}

#[test]
fn tools_that_the_provider_refuses_are_an_error() {
    let many = (0..200).map(|n| DynTool::declare(ToolDef::new(format!("t{n}"), "Waits.")));
    let error = ChatTools::new(&Toolset::new(many).unwrap()).unwrap_err();
    assert!(error.to_string().contains("128"), "{error}");
}
