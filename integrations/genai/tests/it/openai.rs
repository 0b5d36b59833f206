use futures_util::StreamExt;
use genai::chat::{ChatOptions, ChatRequest, ChatStreamEvent};
use serde_json::{Value, json};
use toolwright::{Context, Executor};
use toolwright_genai::GenaiTools;

use crate::fake_provider::{FakeProvider, events, json};
use crate::{client, door_schema, run, tools, weather_schema};

const MODEL: &str = "gpt-4o";

fn response(message: &Value) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    })
}

fn calling(calls: &[(&str, &str, &str)]) -> Value {
    let calls = calls.iter().map(|(id, name, arguments)| {
        json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
    });
    json!({"role": "assistant", "content": "", "tool_calls": calls.collect::<Vec<_>>()})
}

fn said(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

fn answered(id: &str, content: &str) -> Value {
    json!({"role": "tool", "content": content, "tool_call_id": id})
}

#[tokio::test]
async fn a_model_corrects_its_call() {
    // genai writes the arguments anew, without the spaces.
    let wrong = calling(&[("c1", "weather", r#"{"city":"Oslo","days":70}"#)]);
    let right = calling(&[("c2", "weather", r#"{"city":"Oslo","days":7}"#)]);
    let provider = FakeProvider::start([
        json(&response(&wrong)),
        json(&response(&right)),
        json(&response(&said("Sun."))),
    ]);
    let last = run(&provider, MODEL).await;
    assert_eq!(last.first_text(), Some("Sun."));

    let requests = provider.requests();
    let pair = json!({
        "type": "object",
        "properties": {"key": {"type": "string"}, "value": {"type": "integer", "minimum": 0}},
        "required": ["key", "value"],
        "additionalProperties": false,
    });
    let chart = json!({
        "type": "object",
        "properties": {"bars": {"type": "array", "items": pair}},
        "required": ["bars"],
        "additionalProperties": false,
    });
    let declared = [
        ("weather", "Says how the weather will be.", weather_schema()),
        ("open", "Opens a door.", door_schema()),
        ("chart", "Draws a chart.", chart),
    ];
    let declared = declared.map(|(name, description, schema)| {
        let function = json!({
            "name": name, "description": description, "parameters": schema, "strict": true,
        });
        json!({"type": "function", "function": function})
    });
    let declared = Value::from(declared.to_vec());
    assert_eq!(requests[0]["tools"], declared);
    // Equal values may differ in the order of their keys.
    let order = |tools: &Value| tools[0]["function"]["parameters"]["properties"].to_string();
    assert_eq!(order(&requests[0]["tools"]), order(&declared));
    let messages = json!([
        {"role": "user", "content": "Go."},
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
        ("c1", "weather", r#"{"city":"Rome","days":2}"#),
        ("c2", "open", r#"{"door":"back"}"#),
        ("c3", "wether", "{}"),
        // A map in the form of the strict mode.
        ("c4", "chart", r#"{"bars":[{"key":"a","value":1}]}"#),
    ]);
    let provider = FakeProvider::start([json(&response(&calls)), json(&response(&said("Done.")))]);
    run(&provider, MODEL).await;
    let messages = json!([
        {"role": "user", "content": "Go."},
        calls,
        answered("c1", "2 days of sun in Rome"),
        answered("c2", "the back door is locked"),
        answered("c3", "unknown tool `wether`; did you mean `weather`?"),
        answered("c4", "{\"a\": 1}\n[image, image/png]"),
    ]);
    assert_eq!(provider.requests()[1]["messages"], messages);
}

/// Chunks of a response: the deltas one by one, and the reason why it ended.
fn chunks(deltas: &[Value], finish_reason: &str) -> String {
    let last = (json!({}), Some(finish_reason));
    let deltas = deltas.iter().map(|delta| (delta.clone(), None));
    let mut text = String::new();
    for (delta, reason) in deltas.chain([last]) {
        let chunk = json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": MODEL,
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        });
        text.extend(["data: ", &chunk.to_string(), "\n\n"]);
    }
    text + "data: [DONE]\n\n"
}

fn piece(index: u32, begun: Option<(&str, &str)>, arguments: &str) -> Value {
    let mut call = json!({"index": index, "function": {"arguments": arguments}});
    if let Some((id, name)) = begun {
        call["id"] = id.into();
        call["type"] = "function".into();
        call["function"]["name"] = name.into();
    }
    json!({"tool_calls": [call]})
}

#[tokio::test]
async fn streamed_calls_are_captured() {
    let deltas = [
        json!({"role": "assistant", "content": null}),
        piece(0, Some(("c1", "weather")), ""),
        piece(0, None, r#"{"city": "#),
        piece(0, None, r#""Oslo", "days": 7}"#),
        piece(1, Some(("c2", "weather")), r#"{"days": 3, "#),
    ];
    let provider = FakeProvider::start([
        events(chunks(&deltas, "tool_calls")),
        events(chunks(&[said("Sun.")], "stop")),
    ]);
    let (client, tools) = (client(&provider), tools());
    let (executor, declared) = (
        Executor::parallel(&tools, 8),
        GenaiTools::for_model(&tools, MODEL).unwrap(),
    );
    let cx = Context::new();
    let options = ChatOptions::default().with_capture_tool_calls(true);
    let mut request = ChatRequest::from_user("Go.").with_tools(declared.tools());
    loop {
        let response = client
            .exec_chat_stream(MODEL, request.clone(), Some(&options))
            .await
            .unwrap();
        let (mut stream, mut end) = (response.stream, None);
        while let Some(event) = stream.next().await {
            if let ChatStreamEvent::End(event) = event.unwrap() {
                end = Some(event);
            }
        }
        let end = end.unwrap();
        let calls = declared.calls(end.captured_tool_calls().unwrap_or_default());
        if calls.is_empty() {
            break;
        }
        // The second call broke off: its text reaches the tool, whose answer says so.
        assert_eq!(&*calls[1].arguments, r#"{"days": 3, "#);
        let batch = executor.run(&calls, &cx).await;
        request = request.append_messages(end.into_assistant_message_for_tool_use());
        request = request.append_message(declared.answers(batch.results()));
    }
    let messages = &provider.requests()[1]["messages"];
    let called = &messages[1]["tool_calls"];
    let arguments = &called[0]["function"]["arguments"];
    assert_eq!(*arguments, r#"{"city":"Oslo","days":7}"#);
    assert_eq!(messages[2], answered("c1", "7 days of sun in Oslo"));
    assert_eq!(messages[3]["tool_call_id"], "c2");
    let broken = messages[3]["content"].as_str().unwrap();
    assert!(broken.contains("JSON"), "{broken}");
    assert_eq!(messages.as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn genai_refuses_a_response_whose_arguments_are_no_json() {
    let broken = calling(&[("c1", "weather", r#"{"city": "#)]);
    let provider = FakeProvider::start([json(&response(&broken))]);
    let declared = GenaiTools::for_model(&tools(), MODEL).unwrap();
    let request = ChatRequest::from_user("Go.").with_tools(declared.tools());
    let sent = client(&provider).exec_chat(MODEL, request, None).await;
    assert!(sent.is_err());
}
