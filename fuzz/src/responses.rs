//! Any text as the response of a provider.

use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright::{Call, Context, Encoder, Store, ToolCall, ToolResult, Toolset, Wire};

use crate::{selected, tools};

static TOOLS: LazyLock<Toolset> = LazyLock::new(tools::all);

/// Checks all that holds for any response.
///
/// # Panics
/// When one of it does not hold.
pub fn check(input: &[u8]) {
    let wires = [Wire::OpenAiChat, Wire::Anthropic];
    let Some((kind, response)) = selected(input, wires.len()) else {
        return;
    };
    let wire = wires[kind];
    let detected = Wire::detect(&response);
    let calls = match wire.calls(&response) {
        Ok(calls) => calls,
        Err(error) => {
            check_error(&error.to_string());
            assert!(wire.turn(&response, &[], Encoder::auto()).is_err());
            return;
        }
    };
    assert!(detected.is_some(), "what is read shows its wire");
    check_given(wire, &response, &calls);
    for encoder in [Encoder::auto(), Encoder::json(), Encoder::envelope()] {
        let cx = Context::new();
        let results = calls.iter().map(|call| TOOLS.call_blocking(call, &cx));
        let results: Vec<ToolResult> = results.collect();
        let turn = wire.turn(&response, &results, encoder);
        check_turn(wire, &turn.expect("calls were read"), &calls, &results);
    }
}

fn check_error(error: &str) {
    assert!(!error.is_empty());
    assert!(!error.contains(char::is_control), "{error:?}");
}

/// The calls are those that a plain reader finds, with the ids that they came with.
fn check_given(wire: Wire, response: &str, calls: &[ToolCall]) {
    let ids: Vec<&str> = calls.iter().map(|call| &*call.id).collect();
    assert!(ids.iter().all(|id| !id.is_empty()), "{ids:?}");
    let Some(response) = plainly_read(response) else {
        return;
    };
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
                let same = ids.iter().filter(|id| **id == &*call.id).count();
                assert_eq!(same, 1, "a made id is nobody else's: {ids:?}");
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
fn check_turn(wire: Wire, turn: &str, calls: &[ToolCall], results: &[ToolResult]) {
    assert!(serde_json::from_str::<IgnoredAny>(turn).is_ok(), "{turn}");
    let messages: Vec<&RawValue> = serde_json::from_str(turn).expect("a turn is an array");
    let (message, answers) = messages
        .split_first()
        .expect("a turn starts with a message");
    assert_eq!(
        wire.calls(&as_response(wire, message)).ok().as_deref(),
        Some(calls),
        "{turn}"
    );
    match wire {
        Wire::OpenAiChat => {
            assert_eq!(answers.len(), results.len());
            for (answer, result) in answers.iter().zip(results) {
                let answer: ToolMessage = serde_json::from_str(answer.get()).expect("an answer");
                assert_eq!(answer.role, "tool");
                assert_eq!(answer.tool_call_id, *result.id);
                assert!(result.is_success() || !answer.content.is_empty());
            }
        }
        _ => {
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
    }
}

/// The message as if it had come now.
fn as_response(wire: Wire, message: &RawValue) -> String {
    match wire {
        Wire::OpenAiChat => format!(r#"{{"choices": [{{"message": {message}}}]}}"#),
        _ => message.get().to_owned(),
    }
}
