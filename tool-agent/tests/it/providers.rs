//! Providers' habits, as an agent and an endpoint meet them.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::{Value, json};
use toolwright::agent::budget::{Money, Price, Prices};
use toolwright::agent::model::{DeltaSink, ModelRequest};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::thread::{Assistant, Native, wire_name};
use toolwright::agent::{
    Agent, Endpoint, Model, ModelResponse, RunEnd, Session, Thread, ThreadMessage,
};
use toolwright::wire::{FinishReason, StreamEvent, ToolChoice, Usage};
use toolwright::{Context, Outcome, ToolCall, Toolset, Wire, call::Content, tool, tools};

use crate::http::{Server, answer, ask, stream, whole};

/// Anthropic's `pause_turn`: the response goes back as it is, and the model continues.
#[tokio::test]
async fn a_turn_that_the_provider_paused_goes_on() {
    let mut paused = ModelResponse::text("I search.");
    paused.stop = Some(FinishReason::Paused);
    let model = ScriptedModel::new([Ok(paused), Ok(ModelResponse::text("It is 5."))]);
    let agent = Agent::new(model, Toolset::default());
    let mut session = Session::ask("Hi!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::Completed), "{:?}", run.end);
    assert_eq!((run.text(), run.turns), (Some("It is 5."), 2));
    assert_eq!(session.thread().messages().len(), 3);
    let body = session.thread().format(Wire::Anthropic, None).unwrap();
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body["messages"].as_array().unwrap().len(), 2);
}

#[test]
fn tokens_of_a_cache_and_thoughts_have_prices_of_their_own() {
    let cents = Money::from_cents;
    let mut usage = Usage::new(3_000_000, 2_000_000);
    usage.cached = 1_000_000;
    usage.cache_written = 1_000_000;
    usage.reasoning = 1_000_000;
    let price = Price::new(cents(100), cents(1_000));
    let rows = [
        (price, 2_300),
        (price.cached(cents(10)), 2_210),
        (price.cached(cents(10)).cache_written(cents(125)), 2_235),
        (price.reasoning(cents(500)), 1_800),
    ];
    let mut session = Session::ask("Hi!");
    let model = ScriptedModel::new([Ok(ModelResponse::text("5").with_usage(usage))]).named("m");
    let agent = Agent::new(model, Toolset::default());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let run = runtime.block_on(agent.run(&mut session, &Context::new()));
    assert_eq!(run.unwrap().usage, usage);
    for (price, cost) in rows {
        let prices = Prices::new().price("m", price);
        assert_eq!(prices.cost(&session).unwrap(), cents(cost), "{price:?}");
        let stored = serde_json::to_string(&prices).unwrap();
        assert_eq!(serde_json::from_str::<Prices>(&stored).unwrap(), prices);
    }
    // What was stored before has none of these counts.
    let stored = serde_json::to_value(&session).unwrap();
    let back: Session = serde_json::from_value(stored).unwrap();
    assert_eq!(back.usage(), usage);
}

#[test]
fn a_thread_of_another_model_goes_to_gemini_with_its_stand_in() {
    let calls = [ToolCall::new("a", "now", "{}")];
    let mut thread = Thread::from([ThreadMessage::user("Hi"), ThreadMessage::calls(calls)]);
    thread.push(ThreadMessage::tool("12:00", "a"));
    let body: Value = serde_json::from_str(&thread.format(Wire::Gemini, None).unwrap()).unwrap();
    let signature = &body["contents"][1]["parts"][0]["thoughtSignature"];
    assert_eq!(signature, "skip_thought_signature_validator");
}

/// Weather of a city.
#[tool]
fn weather(city: &str) -> String {
    format!("sun in {city}")
}

/// Groq answers 400, or an event of a stream, to a call that its model wrote badly.
#[tokio::test]
async fn a_call_that_groq_could_not_read_is_answered() {
    let words = r#"<function=weather{"city": 7}</function>"#;
    let error = json!({"error": {"message": "Failed to call a function.", "code": "tool_use_failed", "failed_generation": words}});
    let refused = answer(
        "400 Bad Request",
        "content-type: application/json\r\n",
        &error.to_string(),
    );
    let event = stream(&format!("data: {error}\n\n"));
    for (first, streams) in [(refused.clone(), false), (refused, true), (event, true)] {
        let server = Server::start(vec![first]).await;
        let endpoint = Endpoint::openai_chat(&*server.url, "m", "k");
        let (response, told) = ask(&endpoint, streams).await;
        let calls = response.unwrap().calls;
        assert_eq!(
            (&*calls[0].name, &*calls[0].arguments),
            ("weather", r#"{"city": 7}"#)
        );
        let begun = told
            .iter()
            .any(|event| matches!(event, StreamEvent::Call { name, .. } if name == "weather"));
        assert_eq!(begun, streams);
    }
    let said = json!({"choices": [{"message": {"role": "assistant", "content": "5"}, "finish_reason": "stop"}]});
    let refused = answer(
        "400 Bad Request",
        "content-type: application/json\r\n",
        &error.to_string(),
    );
    let server = Server::start(vec![refused, whole(&said.to_string())]).await;
    let agent = Agent::new(
        Endpoint::openai_chat(&*server.url, "m", "k"),
        &tools![weather],
    );
    let run = agent
        .run(&mut Session::ask("Hi!"), &Context::new())
        .await
        .unwrap();
    assert_eq!(run.text(), Some("5"));
    let messages = server.got()[1].body["messages"].clone();
    assert_eq!(messages[1]["tool_calls"][0]["function"]["name"], "weather");
    assert_eq!(messages[2]["role"], "tool");
}

/// gpt-oss behind Responses names the calls of every response `call_0`.
#[test]
fn ids_that_come_again_change_inside_the_providers_own_messages() {
    let turn = |wire: Wire, native: Vec<Value>| {
        let mut said = Assistant::default();
        said.calls = vec![ToolCall::new("call_0", "now", "{}")];
        said.native = Some(Native {
            wire: wire_name(wire),
            messages: native.iter().map(Value::to_string).collect(),
        });
        [
            ThreadMessage::Assistant(said),
            ThreadMessage::tool("12:00", "call_0"),
        ]
    };
    let rows = [
        (
            Wire::OpenAiResponses,
            vec![
                json!({"type": "reasoning", "id": "r", "encrypted_content": "e"}),
                json!({"type": "function_call", "id": "f", "call_id": "call_0", "name": "now", "arguments": "{}"}),
            ],
        ),
        (
            Wire::Anthropic,
            vec![json!({"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Hm", "signature": "s"},
                {"type": "tool_use", "id": "call_0", "name": "now", "input": {}},
            ]})],
        ),
        (
            Wire::BedrockConverse,
            vec![json!({"role": "assistant", "content": [
                {"reasoningContent": {"reasoningText": {"text": "Hm", "signature": "s"}}},
                {"toolUse": {"toolUseId": "call_0", "name": "now", "input": {}}},
            ]})],
        ),
    ];
    for (wire, native) in rows {
        let mut thread = Thread::from([ThreadMessage::user("Hi")]);
        thread.extend(turn(wire, native.clone()));
        thread.extend(turn(wire, native.clone()));
        let body = thread.format(wire, None).unwrap().into_string();
        let ids = body.matches("\"call_0_0\"").count();
        assert_eq!(ids, 2, "{wire:?}: {body}");
        for kept in ["\"encrypted_content\":\"e\"", "\"signature\":\"s\""] {
            let expected = if native[0].to_string().contains(kept) {
                2
            } else {
                0
            };
            assert_eq!(body.matches(kept).count(), expected, "{wire:?}: {body}");
        }
    }
}

/// What is sent to each provider that speaks the chat.
#[tokio::test]
async fn each_provider_of_a_chat_gets_what_it_takes() {
    type Row = (fn(&str) -> Endpoint, &'static str, bool, bool);
    let rows: [Row; 9] = [
        (
            |url| Endpoint::openai_chat(url, "m", "k"),
            "max_completion_tokens",
            true,
            true,
        ),
        (
            |url| Endpoint::azure(url, "m", "k"),
            "max_completion_tokens",
            true,
            true,
        ),
        (
            |url| Endpoint::groq("m", "k").base_url(url),
            "max_completion_tokens",
            false,
            true,
        ),
        (
            |url| Endpoint::xai("m", "k").base_url(url),
            "max_completion_tokens",
            true,
            true,
        ),
        (
            |url| Endpoint::mistral("m", "k").base_url(url),
            "max_tokens",
            false,
            true,
        ),
        (
            |url| Endpoint::deepseek("m", "k").base_url(url),
            "max_tokens",
            true,
            false,
        ),
        (
            |url| Endpoint::openrouter("m", "k").base_url(url),
            "max_tokens",
            false,
            false,
        ),
        (
            |url| Endpoint::together("m", "k").base_url(url),
            "max_tokens",
            false,
            false,
        ),
        (
            |url| Endpoint::compatible(url, "m", "k"),
            "max_tokens",
            false,
            false,
        ),
    ];
    for (endpoint, limit, has_stream_options, is_strict) in rows {
        let end =
            json!({"choices": [{"index": 0, "delta": {"content": "5"}, "finish_reason": "stop"}]});
        let server = Server::start(vec![stream(&format!("data: {end}\n\n"))]).await;
        let (response, _) = ask(&endpoint(&server.url).max_tokens(7), true).await;
        assert_eq!(response.unwrap().text, "5");
        let body = server.got()[0].body.clone();
        assert_eq!(body[limit], 7, "{body}");
        assert_eq!(
            body.get("stream_options").is_some(),
            has_stream_options,
            "{body}"
        );
        let strict = body["tools"][0]["function"].get("strict").is_some();
        assert_eq!(strict, is_strict, "{body}");
    }
}

/// A provider's own tools stand beside ours, and what they did is in the thread.
#[tokio::test]
async fn a_providers_own_tool_is_declared_beside_ours() {
    let said = json!({"role": "assistant", "stop_reason": "end_turn", "content": [
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
        {"type": "text", "text": "5"},
    ]});
    let search = json!({"type": "web_search_20250305", "name": "web_search"});
    for (tools, names) in [
        (tools![weather], vec!["weather", "web_search"]),
        (Toolset::default(), vec!["web_search"]),
    ] {
        let server = Server::start(vec![whole(&said.to_string())]).await;
        let model = Endpoint::anthropic(&*server.url, "m", "k").builtin(&search);
        let agent = Agent::new(model, &tools);
        let mut session = Session::ask("Hi!");
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!((run.text(), run.turns), (Some("5"), 1));
        let declared = server.got()[0].body["tools"].clone();
        let declared: Vec<_> = declared
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].clone())
            .collect();
        assert_eq!(declared, names);
        let ThreadMessage::Assistant(said) = &session.thread().messages()[1] else {
            panic!();
        };
        assert_eq!(
            (said.hosted.len(), &*said.hosted[0].name),
            (1, "web_search")
        );
    }
}

/// Listeners receive what the provider's own tools did, whether the provider streams or answers at once.
#[tokio::test]
async fn events_of_a_providers_own_tool_say_what_the_response_has() {
    let call = json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}});
    let found = json!({"type": "web_search_tool_result", "tool_use_id": "s", "content": []});
    let said = json!({"role": "assistant", "stop_reason": "end_turn", "content": [&call, &found]});
    let block = |index: u8, block: &Value| {
        [
            json!({"type": "content_block_start", "index": index, "content_block": block}),
            json!({"type": "content_block_stop", "index": index}),
        ]
    };
    let mut events =
        vec![json!({"type": "message_start", "message": {"role": "assistant", "content": []}})];
    events.extend(block(0, &call));
    events.extend(block(1, &found));
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}));
    let lines = events.iter().map(|event| format!("data: {event}\n\n"));
    let lines = lines.collect::<Vec<_>>().concat();
    // Whole, the call and its result come at once.
    for (answer, count) in [(whole(&said.to_string()), 1), (stream(&lines), 2)] {
        let server = Server::start(vec![answer]).await;
        let (response, told) = ask(&Endpoint::anthropic(&*server.url, "m", "k"), true).await;
        let hosted = told.iter().filter_map(|event| match event {
            StreamEvent::Hosted { place: 0, call } => Some(call),
            _ => None,
        });
        let hosted: Vec<_> = hosted.collect();
        assert_eq!(hosted.len(), count);
        let last = hosted.last().copied().cloned();
        assert_eq!(response.unwrap().hosted, Vec::from_iter(last));
    }
}

/// Where a model takes pictures of results is known by its name, or said.
#[tokio::test]
async fn pictures_stand_where_the_model_takes_them() {
    let content = Content::text("See:").image("image/png", "AAAA");
    let mut thread = Thread::from([ThreadMessage::user("Draw.")]);
    thread.push(ThreadMessage::calls([ToolCall::new("a", "weather", "{}")]));
    thread.push(ThreadMessage::tool(Outcome::Content(content), "a"));
    let rows = [
        ("gemini-2.5-flash", None, 4),
        ("gemini-1.5-pro", None, 4),
        ("gemini-3-pro-preview", None, 3),
        ("gemini-flash-latest", None, 4),
        ("tuned", None, 3),
        ("tuned", Some(true), 4),
        ("gemini-2.5-flash", Some(false), 3),
    ];
    let said = json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "5"}]}, "finishReason": "STOP"}]});
    for (model, after, contents) in rows {
        let server = Server::start(vec![whole(&said.to_string())]).await;
        let mut endpoint = Endpoint::gemini(&*server.url, model, "k");
        if let Some(after) = after {
            endpoint = endpoint.pictures_after(after);
        }
        let (tools, choice) = (tools![weather], ToolChoice::Auto);
        let request = ModelRequest::new(&thread, &tools, &choice);
        endpoint.respond(request, DeltaSink::NONE).await.unwrap();
        let body = server.got()[0].body.clone();
        assert_eq!(
            body["contents"].as_array().unwrap().len(),
            contents,
            "{model}"
        );
    }
}
