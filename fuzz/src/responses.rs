//! Any text as the response of a provider.

use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright::{Call, Context, Encoder, Store, ToolCall, ToolResult, Toolset, Wire};

use crate::{selected, tools};

static TOOLS: LazyLock<Toolset> = LazyLock::new(tools::all);

/// The wires, as the first byte of an input selects them.
const WIRES: [Wire; 8] = [
    Wire::OpenAiChat,
    Wire::Anthropic,
    Wire::OpenAiResponses,
    Wire::Gemini,
    Wire::Ollama,
    Wire::BedrockConverse,
    Wire::Mcp,
    Wire::Mcp2026,
];

/// Checks all that holds for any response.
///
/// # Panics
/// When one of it does not hold.
pub fn check(input: &[u8]) {
    let Some((kind, response)) = selected(input, WIRES.len()) else {
        return;
    };
    let wire = WIRES[kind];
    check_definition(wire, &response);
    check_stream(wire, &response);
    if let Some(calls) = check_any(wire, &response)
        && matches!(wire, Wire::OpenAiChat | Wire::Anthropic)
    {
        check_whole(wire, &response, &calls);
    }
}

/// What holds for every wire; the calls, if it is a response.
fn check_any(wire: Wire, response: &str) -> Option<Vec<ToolCall>> {
    let calls = match wire.calls(response) {
        Ok(calls) => calls,
        Err(error) => {
            check_error(&error.to_string());
            assert!(wire.turn(response, &[], Encoder::auto()).is_err());
            return None;
        }
    };
    check_ids(&calls);
    let cx = Context::new();
    let results = calls.iter().map(|call| TOOLS.call_blocking(call, &cx));
    let results: Vec<ToolResult> = results.collect();
    let turn = wire.turn(response, &results, Encoder::auto());
    let turn = turn.expect("calls were read");
    assert!(serde_json::from_str::<IgnoredAny>(&turn).is_ok(), "{turn}");
    Some(calls)
}

/// A stream says the same wherever it is cut, and what it comes to is a response.
fn check_stream(wire: Wire, text: &str) {
    let streamed = |pieces: &[&[u8]]| {
        let mut stream = wire.accumulator();
        let taken: Vec<bool> = pieces
            .iter()
            .map(|piece| stream.push_bytes(piece).is_ok())
            .collect();
        (taken.iter().all(|taken| *taken), stream.finish().ok())
    };
    let bytes = text.as_bytes();
    let whole = streamed(&[bytes]);
    let (left, right) = bytes.split_at(bytes.len() / 2);
    assert_eq!(streamed(&[left, right]), whole, "cut in the middle");
    if let Some(streamed) = whole.1 {
        let read = check_any(wire, &streamed.response);
        // MCP streams nothing: what came is the response, whatever it is.
        let is_whole = matches!(wire, Wire::Mcp | Wire::Mcp2026);
        assert!(read.is_some() || is_whole, "{} is none", streamed.response);
    }
}

/// What holds for the wires of which this target knows the form.
fn check_whole(wire: Wire, response: &str, calls: &[ToolCall]) {
    assert!(
        Wire::detect(response).is_some(),
        "what is read shows its wire"
    );
    let plain = plainly_read(response);
    if let Some(plain) = &plain {
        check_given(wire, plain, calls);
    }
    let is_plain = plain.is_some();
    for encoder in [Encoder::auto(), Encoder::json(), Encoder::envelope()] {
        let cx = Context::new();
        let results = calls.iter().map(|call| TOOLS.call_blocking(call, &cx));
        let results: Vec<ToolResult> = results.collect();
        let turn = wire.turn(response, &results, encoder);
        check_turn(
            wire,
            is_plain,
            &turn.expect("calls were read"),
            calls,
            &results,
        );
    }
}

/// A stored definition that can be read is written as one that reads the same.
fn check_definition(wire: Wire, text: &str) {
    match wire.parse_definition(text) {
        Ok(def) => {
            let written = wire.definition(&def);
            let again = wire
                .parse_definition(&written)
                .expect("what we have written");
            assert_eq!(again, def, "{written}");
            assert_eq!(wire.definition(&again), written);
        }
        Err(error) => check_error(&error.to_string()),
    }
}

fn check_error(error: &str) {
    assert!(!error.is_empty());
    assert!(!error.contains(char::is_control), "{error:?}");
}

fn check_ids(calls: &[ToolCall]) {
    assert!(calls.iter().all(|call| !call.id.is_empty()), "{calls:?}");
}

/// The calls are those that a plain reader finds, with the ids that they came with.
fn check_given(wire: Wire, response: &Value, calls: &[ToolCall]) {
    let given = match wire {
        Wire::OpenAiChat => &response["choices"][0]["message"]["tool_calls"],
        _ => &response["content"],
    };
    let given = given.as_array().cloned().unwrap_or_default();
    let is_call = |one: &&Value| wire == Wire::OpenAiChat || one["type"] == "tool_use";
    let given: Vec<&Value> = given.iter().filter(is_call).collect();
    assert_eq!(calls.len(), given.len(), "every call is read");
    for (index, (call, given)) in calls.iter().zip(&given).enumerate() {
        match given["id"].as_str() {
            Some(id) if !id.is_empty() => assert_eq!(&*call.id, id),
            _ => {
                let same = calls.iter().filter(|other| other.id == call.id).count();
                assert_eq!(same, 1, "a made id is nobody else's: {calls:?}");
                assert!(call.id.starts_with(&format!("call_{index}")));
            }
        }
        let (name, arguments) = match wire {
            Wire::OpenAiChat => (&given["function"]["name"], &given["function"]["arguments"]),
            _ => (&given["name"], &given["input"]),
        };
        if let Some(name) = name.as_str() {
            assert_eq!(&*call.name, name);
        }
        match arguments {
            Value::String(text) => assert_eq!(&*call.arguments, text),
            Value::Null => assert!(matches!(&*call.arguments, "" | "null")),
            json => assert_eq!(
                serde_json::from_str::<Value>(&call.arguments).ok().as_ref(),
                Some(json)
            ),
        }
    }
}

/// A response of which every reader finds the same: no key stands twice in one object.
fn plainly_read(response: &str) -> Option<Value> {
    let (store, cx) = (Store::new(), Context::new());
    let read = Call::new(response, &store, &cx).decode::<Map<String, Value>>();
    read.ok()?;
    serde_json::from_str(response).ok()
}

/// A tool's answer, as `OpenAI` has it.
#[derive(Deserialize)]
struct ToolMessage {
    role: String,
    tool_call_id: String,
    content: String,
}

/// The tools' answers, as Anthropic has them.
#[derive(Deserialize)]
struct UserMessage {
    role: String,
    content: Vec<ResultBlock>,
}

#[derive(Deserialize)]
struct ResultBlock {
    #[serde(rename = "type")]
    kind: String,
    tool_use_id: String,
    content: String,
    #[serde(default)]
    is_error: bool,
}

/// What the next request gains holds the model's message, with the calls as they were read, and an
/// answer to each.
fn check_turn(wire: Wire, is_plain: bool, turn: &str, calls: &[ToolCall], results: &[ToolResult]) {
    assert!(serde_json::from_str::<IgnoredAny>(turn).is_ok(), "{turn}");
    let messages: Vec<&RawValue> = serde_json::from_str(turn).expect("a turn is an array");
    let (message, answers) = messages
        .split_first()
        .expect("a turn starts with a message");
    let again = wire.calls(&as_response(wire, message));
    let again = again.expect("the message is still one");
    if is_plain {
        assert_eq!(again.len(), calls.len(), "{turn}");
        for (again, call) in again.iter().zip(calls) {
            assert_eq!(again.name, call.name, "{turn}");
            // Anthropic takes an object and nothing else: what was none is told in one, and an object
            // in a string loses the white space around it.
            if wire == Wire::OpenAiChat || is_object(&call.arguments) {
                assert_eq!(again.arguments.trim(), call.arguments.trim(), "{turn}");
            } else {
                assert!(is_object(&again.arguments), "{turn}");
            }
        }
    }
    // A call in which a key stands twice may be readable once its id is put in.
    let ids = |calls: &[ToolCall]| calls.iter().map(|call| call.id.clone()).collect();
    let (again, ids): (Vec<_>, Vec<_>) = (ids(&again), ids(calls));
    assert_eq!(again, ids, "{turn}");
    for id in plain_ids(wire, message) {
        assert!(
            calls.iter().any(|call| *call.id == *id),
            "{id} has no answer"
        );
    }
    if wire == Wire::OpenAiChat {
        check_tool_messages(answers, results);
    } else {
        check_user_message(answers, results);
    }
}

fn is_object(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok() && text.trim_start().starts_with('{')
}

/// One message an answer.
fn check_tool_messages(answers: &[&RawValue], results: &[ToolResult]) {
    assert_eq!(answers.len(), results.len());
    for (answer, result) in answers.iter().zip(results) {
        let answer: ToolMessage = serde_json::from_str(answer.get()).expect("an answer");
        assert_eq!(answer.role, "tool");
        assert_eq!(answer.tool_call_id, *result.id);
        assert!(result.is_success() || !answer.content.is_empty());
    }
}

/// One message for all answers, if there is one.
fn check_user_message(answers: &[&RawValue], results: &[ToolResult]) {
    assert_eq!(answers.len(), usize::from(!results.is_empty()));
    let answers = answers.first().map_or_else(Vec::new, |answer| {
        let answer: UserMessage = serde_json::from_str(answer.get()).expect("answers");
        assert_eq!(answer.role, "user");
        answer.content
    });
    assert_eq!(answers.len(), results.len());
    for (answer, result) in answers.iter().zip(results) {
        assert_eq!(answer.kind, "tool_result");
        assert_eq!(answer.tool_use_id, *result.id);
        assert_eq!(answer.is_error, !result.is_success());
        assert!(result.is_success() || !answer.content.is_empty());
    }
}

/// The ids of calls that the provider may read in a message, even where a key stands twice.
fn plain_ids(wire: Wire, message: &RawValue) -> Vec<String> {
    let Ok(message) = serde_json::from_str::<Value>(message.get()) else {
        return Vec::new();
    };
    let calls = match wire {
        Wire::OpenAiChat => &message["tool_calls"],
        _ => &message["content"],
    };
    let calls = calls.as_array().into_iter().flatten();
    let is_call = |one: &&Value| wire == Wire::OpenAiChat || one["type"] == "tool_use";
    calls
        .filter(is_call)
        .filter_map(|call| Some(call["id"].as_str()?.to_owned()))
        .collect()
}

/// The message as if it had come now.
fn as_response(wire: Wire, message: &RawValue) -> String {
    match wire {
        Wire::OpenAiChat => format!(r#"{{"choices": [{{"message": {message}}}]}}"#),
        _ => message.get().to_owned(),
    }
}
