//! What each provider refuses to read in a request, as its documentation and its errors say.

use serde_json::{Value, json};
use toolwright::{
    Encoder, Outcome, ToolResult, Wire,
    wire::{Completion, Message},
};

use crate::wires::parsed;

/// The next request after this response follows the rules of the wire.
pub(super) fn check_next_request(wire: Wire, said: &Completion, about: &str) {
    let answer = |call| ToolResult::new(call, Ok(Outcome::value("12:00")));
    let results: Vec<_> = said.calls.iter().map(answer).collect();
    let conversation = [
        Message::User("Hi"),
        Message::Echo(&said.messages),
        Message::Results(&results),
        Message::User("And?"),
    ];
    let body = wire.conversation(None, &conversation, Encoder::auto());
    let body = parsed(&body.unwrap());
    let key = match wire {
        Wire::Gemini => "contents",
        Wire::OpenAiResponses => "input",
        _ => "messages",
    };
    let messages = list(&body[key]);
    let mut open: Vec<Value> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        if let Some(wrong) = refused(wire, message) {
            panic!("{about}: {wrong}: {message}");
        }
        let alternates = matches!(wire, Wire::Anthropic | Wire::BedrockConverse);
        let before = at.checked_sub(1).map(|before| &messages[before]["role"]);
        assert!(
            !alternates || before != Some(&message["role"]),
            "{about}: {body}"
        );
        for item in items(wire, message) {
            if let Some(id) = answered(wire, &item) {
                let at = open.iter().position(|open| *open == id);
                open.remove(at.unwrap_or_else(|| panic!("{about}: {id} answers nothing: {body}")));
            }
            if let Some(id) = called(wire, &item) {
                assert!(!open.contains(&id), "{about}: {id} stands twice: {body}");
                open.push(id);
            }
        }
    }
    assert_eq!(
        open,
        [] as [Value; 0],
        "{about}: a call without an answer: {body}"
    );
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

/// The parts of a message in which calls and answers stand.
fn items(wire: Wire, message: &Value) -> Vec<Value> {
    match wire {
        Wire::OpenAiResponses => vec![message.clone()],
        Wire::Gemini => list(&message["parts"]),
        Wire::OpenAiChat | Wire::Ollama => {
            let mut items = list(&message["tool_calls"]);
            items.extend((message["role"] == "tool").then(|| message.clone()));
            items
        }
        _ => list(&message["content"]),
    }
}

/// The reason why the provider refuses a message.
fn refused(wire: Wire, message: &Value) -> Option<&'static str> {
    let items = items(wire, message);
    let is_empty = |value: &Value| [json!(null), json!(""), json!([])].contains(value);
    let is_blank = |part: &Value| {
        part["text"]
            .as_str()
            .is_some_and(|text| text.trim().is_empty())
    };
    let has_signature = |part: &Value| part.get("thoughtSignature").is_some();
    match wire {
        Wire::Anthropic | Wire::BedrockConverse if items.is_empty() => Some("no content"),
        Wire::Anthropic | Wire::BedrockConverse if items.iter().any(is_blank) => {
            Some("white space")
        }
        Wire::Gemini if items.is_empty() => Some("no parts"),
        Wire::Gemini
            if items
                .iter()
                .any(|part| part["text"] == "" && !has_signature(part)) =>
        {
            Some("an empty part")
        }
        Wire::OpenAiChat if message.get("tool_calls") == Some(&json!([])) => Some("no calls"),
        Wire::OpenAiChat if message["role"] == "assistant" => {
            let said = ["content", "refusal", "tool_calls"].map(|key| &message[key]);
            said.into_iter()
                .all(is_empty)
                .then_some("neither words nor calls")
        }
        _ => None,
    }
}

fn called(wire: Wire, item: &Value) -> Option<Value> {
    let is = |kind: &str| (item["type"] == kind).then_some(item);
    let id = match wire {
        Wire::Anthropic => &is("tool_use")?["id"],
        Wire::OpenAiResponses => &is("function_call")?["call_id"],
        Wire::Gemini => &item.get("functionCall")?["id"],
        Wire::BedrockConverse => {
            let call = item.get("toolUse")?;
            &Some(call).filter(|call| call.get("type").is_none())?["toolUseId"]
        }
        _ => item.get("function").map(|_| &item["id"])?,
    };
    Some(id.clone())
}

fn answered(wire: Wire, item: &Value) -> Option<Value> {
    let is = |kind: &str| (item["type"] == kind).then_some(item);
    let id = match wire {
        Wire::Anthropic => &is("tool_result")?["tool_use_id"],
        Wire::OpenAiResponses => &is("function_call_output")?["call_id"],
        Wire::Gemini => &item.get("functionResponse")?["id"],
        // That of the provider's own tool stands beside its call.
        Wire::BedrockConverse => {
            Some(&item.get("toolResult")?["toolUseId"]).filter(|id| **id != "h")?
        }
        _ => item.get("tool_call_id")?,
    };
    Some(id.clone())
}
