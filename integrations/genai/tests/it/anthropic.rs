use genai::chat::ChatRequest;
use serde_json::{Value, json};
use toolwright::Dialect;
use toolwright_genai::GenaiTools;

use crate::fake_provider::{FakeProvider, json};
use crate::{client, door_schema, run, tools, weather_schema};

const MODEL: &str = "claude-sonnet-4-5";

fn response(content: &Value) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": content,
        "stop_reason": "tool_use", "usage": {"input_tokens": 1, "output_tokens": 1},
    })
}

fn call(id: &str, name: &str, input: &Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}

fn said(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn answered(id: &str, content: &str) -> Value {
    json!({"type": "tool_result", "content": content, "tool_use_id": id})
}

#[tokio::test]
async fn a_model_corrects_its_call() {
    let wrong = call("c1", "weather", &json!({"city": "Oslo", "days": 70}));
    let right = call("c2", "weather", &json!({"city": "Oslo", "days": 7}));
    let provider = FakeProvider::start([
        json(&response(&json!([said("Let me see."), wrong]))),
        json(&response(&json!([right]))),
        json(&response(&json!([said("Sun.")]))),
    ]);
    let last = run(&provider, MODEL).await;
    assert_eq!(last.first_text(), Some("Sun."));

    let requests = provider.requests();
    let chart = json!({
        "type": "object",
        "properties": {
            "bars": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
        },
        "required": ["bars"],
        "additionalProperties": false,
    });
    let declared = json!([
        {"name": "weather", "description": "Says how the weather will be.", "input_schema": weather_schema()},
        {"name": "open", "description": "Opens a door.", "input_schema": door_schema()},
        {"name": "chart", "description": "Draws a chart.", "input_schema": chart},
    ]);
    assert_eq!(requests[0]["tools"], declared);
    let messages = json!([
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": [said("Let me see."), wrong]},
        {"role": "user", "content": [answered("c1", "days: expected an integer from 1 to 7, got 70")]},
        {"role": "assistant", "content": [right]},
        {"role": "user", "content": [answered("c2", "7 days of sun in Oslo")]},
    ]);
    assert_eq!(requests[2]["messages"], messages);
}

#[tokio::test]
async fn every_call_of_a_turn_is_answered() {
    let content = json!([
        call("c1", "weather", &json!({"city": "Rome", "days": 2})),
        call("c2", "open", &json!({"door": "back"})),
        call("c3", "wether", &json!({})),
        call("c4", "chart", &json!({"bars": {"a": 1}})),
    ]);
    let provider = FakeProvider::start([
        json(&response(&content)),
        json(&response(&json!([said("Done.")]))),
    ]);
    run(&provider, MODEL).await;
    let messages = json!([
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": content},
        {"role": "user", "content": [
            answered("c1", "2 days of sun in Rome"),
            answered("c2", "the back door is locked"),
            answered("c3", "unknown tool `wether`; did you mean `weather`?"),
            answered("c4", "{\"a\": 1}\n[image, image/png]"),
        ]},
    ]);
    assert_eq!(provider.requests()[1]["messages"], messages);
}

#[tokio::test]
async fn genai_leaves_a_strict_schema_as_it_is() {
    let provider = FakeProvider::start([json(&response(&json!([said("Done.")])))]);
    let declared = GenaiTools::in_dialect(&tools(), Dialect::AnthropicStrict).unwrap();
    let request = ChatRequest::from_user("Go.").with_tools(declared.tools());
    let sent = client(&provider).exec_chat(MODEL, request, None).await;
    sent.unwrap();
    let sent = &provider.requests()[0]["tools"];
    for (sent, tool) in sent.as_array().unwrap().iter().zip(declared.tools()) {
        assert_eq!(sent["strict"], true);
        assert_eq!(sent["input_schema"], tool.schema.unwrap());
    }
    // A map is a list of pairs.
    assert_eq!(
        sent[2]["input_schema"]["properties"]["bars"]["type"],
        "array"
    );
}
