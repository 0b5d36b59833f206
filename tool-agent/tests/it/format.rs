//! Threads as requests, on every wire.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use proptest::prelude::*;
use serde_json::{Value, json};
use toolwright::agent::thread::{Assistant, FormatError, Native, ToolMessage, wire_name};
use toolwright::agent::{Thread, ThreadMessage};
use toolwright::{Encoder, Outcome, ToolCall, ToolError, ToolResult, Wire, call::Content};

const WIRES: [Wire; 6] = [
    Wire::OpenAiChat,
    Wire::OpenAiResponses,
    Wire::Anthropic,
    Wire::Gemini,
    Wire::Ollama,
    Wire::BedrockConverse,
];

fn answer(index: usize, call: &ToolCall, outcome: Result<Outcome, ToolError>) -> ThreadMessage {
    let result = ToolResult::new(call, outcome);
    ThreadMessage::Tool(ToolMessage::of(index, &result, Encoder::auto()))
}

fn body(thread: &Thread, wire: Wire) -> Value {
    let text = thread.format(wire, None).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The messages, wherever the wire has them.
fn messages(body: &Value) -> &Vec<Value> {
    let mut found = ["messages", "input", "contents"].iter();
    let found = found.find_map(|key| body.get(key)).unwrap();
    found.as_array().unwrap()
}

/// The calls of a request's messages: each is put where a response has it, and read.
fn calls_in(wire: Wire, body: &Value) -> Vec<ToolCall> {
    let messages = messages(body);
    let responses: Vec<Value> = match wire {
        Wire::OpenAiResponses => vec![json!({"output": messages})],
        _ => messages
            .iter()
            .filter(|message| message["role"] == "assistant" || message["role"] == "model")
            .map(|message| match wire {
                Wire::OpenAiChat => json!({"choices": [{"message": message}]}),
                Wire::Anthropic => message.clone(),
                Wire::Gemini => json!({"candidates": [{"content": message}]}),
                Wire::Ollama => json!({"message": message}),
                _ => json!({"output": {"message": message}}),
            })
            .collect(),
    };
    let calls = responses
        .iter()
        .flat_map(|response| wire.calls(&response.to_string()).unwrap());
    calls.collect()
}

/// The ids that are answered, in order.
fn answered(wire: Wire, body: &Value) -> Vec<String> {
    let pick = |value: &Value, keys: &[&str]| {
        let found = keys.iter().try_fold(value, |value, key| value.get(key));
        found.and_then(Value::as_str).map(str::to_owned)
    };
    let parts = |key: &str| -> Vec<Value> {
        let parts = messages(body).iter().filter_map(|message| message.get(key));
        parts
            .filter_map(Value::as_array)
            .flatten()
            .cloned()
            .collect()
    };
    match wire {
        Wire::OpenAiResponses => messages(body)
            .iter()
            .filter(|item| item["type"] == "function_call_output")
            .filter_map(|item| pick(item, &["call_id"]))
            .collect(),
        Wire::Anthropic => {
            let blocks = parts("content");
            let ids = blocks
                .iter()
                .filter_map(|block| pick(block, &["tool_use_id"]));
            ids.collect()
        }
        Wire::Gemini => {
            let parts = parts("parts");
            let ids = parts.iter();
            ids.filter_map(|part| pick(part, &["functionResponse", "id"]))
                .collect()
        }
        Wire::BedrockConverse => {
            let blocks = parts("content");
            let ids = blocks.iter();
            ids.filter_map(|block| pick(block, &["toolResult", "toolUseId"]))
                .collect()
        }
        _ => messages(body)
            .iter()
            .filter_map(|message| pick(message, &["tool_call_id"]))
            .collect(),
    }
}

/// The arguments as a wire sends them that takes objects alone.
fn as_sent(wire: Wire, arguments: &str) -> Value {
    if matches!(wire, Wire::OpenAiChat | Wire::OpenAiResponses) {
        return arguments.into();
    }
    match serde_json::from_str(arguments) {
        Ok(Value::Object(object)) => Value::Object(object),
        _ if arguments.trim().is_empty() => json!({}),
        _ => json!({"INVALID_JSON": arguments}),
    }
}

fn as_read(wire: Wire, call: &ToolCall) -> Value {
    if matches!(wire, Wire::OpenAiChat | Wire::OpenAiResponses) {
        return (*call.arguments).into();
    }
    serde_json::from_str(&call.arguments).unwrap()
}

#[test]
fn the_second_request_holds_the_question_the_calls_and_their_answers() {
    let call = ToolCall::new("c1", "add", r#"{"a": 2, "b": 3}"#);
    let thread = Thread::from([
        ThreadMessage::user("What is 2 + 3?"),
        ThreadMessage::calls([call.clone()]),
        answer(0, &call, Ok(Outcome::value(json!({"sum": 5})))),
    ]);
    let chat = body(&thread, Wire::OpenAiChat);
    let [user, said, told] = messages(&chat).as_slice() else {
        panic!("{chat}");
    };
    assert_eq!(user, &json!({"role": "user", "content": "What is 2 + 3?"}));
    // Encoded once: a string that is an object.
    let arguments = said["tool_calls"][0]["function"]["arguments"].as_str();
    let arguments: Value = serde_json::from_str(arguments.unwrap()).unwrap();
    assert_eq!(arguments, json!({"a": 2, "b": 3}));
    assert_eq!(told["tool_call_id"], "c1");
    assert_eq!(told.get("tool_calls"), None);
    let content: Value = serde_json::from_str(told["content"].as_str().unwrap()).unwrap();
    assert_eq!(content, json!({"sum": 5}));
    // Where answers are values, it is one.
    let gemini = body(&thread, Wire::Gemini);
    assert_eq!(
        messages(&gemini)[2]["parts"][0]["functionResponse"]["response"],
        json!({"output": {"sum": 5}})
    );
}

#[test]
fn all_answers_of_a_turn_stand_in_one_message_where_the_wire_wants_it_in_call_order() {
    let calls = [
        ToolCall::new("c1", "add", "{}"),
        ToolCall::new("c2", "add", "{}"),
    ];
    let mut thread = Thread::from([
        ThreadMessage::user("Add."),
        ThreadMessage::calls(calls.clone()),
    ]);
    for (index, call) in calls.iter().enumerate().rev() {
        let ThreadMessage::Tool(answer) = answer(index, call, Err(ToolError::failed("no"))) else {
            panic!("this is an answer");
        };
        assert!(thread.answer(answer));
    }
    let anthropic = body(&thread, Wire::Anthropic);
    assert_eq!(
        messages(&anthropic)[2],
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "no", "is_error": true},
            {"type": "tool_result", "tool_use_id": "c2", "content": "no", "is_error": true},
        ]})
    );
    assert_eq!(messages(&body(&thread, Wire::OpenAiChat)).len(), 4);
}

#[test]
fn blocks_stay_blocks() {
    let call = ToolCall::new("c1", "chart", "{}");
    let content = Content::text("Here.").image("image/png", "AAAA");
    let thread = Thread::from([
        ThreadMessage::user("Draw."),
        ThreadMessage::calls([call.clone()]),
        answer(0, &call, Ok(Outcome::Content(content))),
    ]);
    let anthropic = body(&thread, Wire::Anthropic);
    let content = &messages(&anthropic)[2]["content"][0]["content"];
    assert_eq!(content[1]["source"]["data"], "AAAA");
    let chat = body(&thread, Wire::OpenAiChat);
    assert_eq!(messages(&chat)[2]["content"], "Here.\n[image, image/png]");
}

#[test]
fn a_providers_own_message_goes_back_to_that_provider_alone() {
    let own = r#"{"role":"assistant","content":[{"type":"thinking","thinking":"?","signature":"S"},{"type":"text","text":"Hm."}]}"#;
    let stored = json!({
        "role": "assistant", "text": "Hm.",
        "native": {"wire": wire_name(Wire::Anthropic), "messages": [own]},
    });
    let message: ThreadMessage = serde_json::from_value(stored).unwrap();
    let thread = Thread::from([ThreadMessage::user("Hi!"), message]);
    let anthropic = thread.format(Wire::Anthropic, None).unwrap();
    assert!(anthropic.contains(own), "{anthropic}");
    let chat = body(&thread, Wire::OpenAiChat);
    let said = json!({"role": "assistant", "content": "Hm."});
    assert_eq!(messages(&chat)[1], said);
}

#[test]
fn a_thread_that_no_provider_takes_is_refused() {
    let thread = Thread::from([ThreadMessage::calls([ToolCall::new("c1", "add", "{}")])]);
    let error = thread.format(Wire::OpenAiChat, None).unwrap_err();
    assert!(matches!(error, FormatError::Thread(_)));
    assert!(error.to_string().contains("`c1`"), "{error}");
    assert!(Thread::new().format(Wire::Mcp, None).is_err());
}

/// What one random turn is made of.
#[derive(Debug, Clone)]
enum Step {
    User(String),
    Said(String, Vec<(String, u8)>, bool),
}

fn step() -> impl Strategy<Value = Step> {
    let text = "[a-zé\" ]{0,6}";
    let arguments = prop::sample::select(vec![
        "",
        "{}",
        "nope",
        "[1]",
        "{\"a\": 1}",
        "{\"é\":\"\\n\"}",
        "{\"a\": ",
        "7",
    ]);
    let call = (arguments.prop_map(str::to_owned), 0..4u8);
    let calls = prop::collection::vec(call, 0..4);
    prop_oneof![
        text.prop_map(Step::User),
        (text, calls, any::<bool>())
            .prop_map(|(text, calls, native)| Step::Said(text, calls, native)),
    ]
}

fn outcome(kind: u8) -> Result<Outcome, ToolError> {
    match kind {
        0 => Ok(Outcome::value("ok")),
        1 => Ok(Outcome::value(json!({"n": [1]}))),
        2 => Ok(Outcome::Content(
            Content::text("See:").image("image/png", "AAAA"),
        )),
        _ => Err(ToolError::failed("no")),
    }
}

/// The thread; where `native` is said, with messages of this wire.
fn thread(steps: &[Step], wire: Wire) -> Thread {
    let mut thread = Thread::new();
    for (turn, step) in steps.iter().enumerate() {
        match step {
            Step::User(text) => thread.push(ThreadMessage::user(text)),
            Step::Said(text, made, native) => {
                let calls: Vec<_> = made
                    .iter()
                    .enumerate()
                    .map(|(at, (arguments, _))| {
                        ToolCall::new(format!("c{turn}_{at}"), "add", arguments.as_str())
                    })
                    .collect();
                let mut said = Assistant::default();
                said.text.clone_from(text);
                said.calls.clone_from(&calls);
                if *native {
                    // What such a provider could have written: of this message alone.
                    let mut alone = Thread::from([ThreadMessage::Assistant(said.clone())]);
                    for (index, call) in calls.iter().enumerate() {
                        alone.push(answer(index, call, outcome(0)));
                    }
                    let written = body(&alone, wire);
                    let own = messages(&written).iter().filter(|message| {
                        message["role"] == "assistant"
                            || message["role"] == "model"
                            || message["type"] == "function_call"
                    });
                    said.native = Some(Native {
                        wire: wire_name(wire),
                        messages: own.map(Value::to_string).collect(),
                    });
                }
                thread.push(ThreadMessage::Assistant(said));
                for (index, (call, (_, kind))) in calls.iter().zip(made).enumerate() {
                    thread.push(answer(index, call, outcome(*kind)));
                }
            }
        }
    }
    thread
}

proptest! {
    #[test]
    fn every_valid_thread_is_a_request_on_every_wire(steps in prop::collection::vec(step(), 0..8)) {
        for wire in WIRES {
            let thread = thread(&steps, wire);
            let body = body(&thread, wire);
            let made: Vec<_> = thread.messages().iter().flat_map(ThreadMessage::tool_calls).collect();
            let read = calls_in(wire, &body);
            prop_assert_eq!(made.len(), read.len());
            for (made, read) in made.iter().zip(&read) {
                prop_assert_eq!((&made.id, &made.name), (&read.id, &read.name));
                prop_assert_eq!(as_sent(wire, &made.arguments), as_read(wire, read), "{:?}", wire);
            }
            let ids: Vec<_> = made.iter().map(|call| call.id.to_string()).collect();
            prop_assert_eq!(answered(wire, &body), ids, "{:?}", wire);
            if matches!(wire, Wire::Anthropic | Wire::BedrockConverse) {
                let roles: Vec<_> = messages(&body).iter().map(|message| &message["role"]).collect();
                prop_assert!(roles.windows(2).all(|pair| pair[0] != pair[1]), "{:?}", roles);
            }
        }
    }
}
