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
    let answers = vec!["12:00".to_owned(); said.calls.len()];
    check_request(wire, &parsed(&body.unwrap()), &answers, about);
}

/// A request follows the rules of the wire, and its calls have these answers, in order.
pub(super) fn check_request(wire: Wire, body: &Value, answers: &[String], about: &str) {
    let key = match wire {
        Wire::Gemini => "contents",
        Wire::OpenAiResponses => "input",
        _ => "messages",
    };
    let messages = list(&body[key]);
    let is_of_blocks = matches!(wire, Wire::Anthropic | Wire::BedrockConverse);
    let mut calls: Vec<Value> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        if let Some(wrong) = refused(wire, message) {
            panic!("{about}: {wrong}: {message}");
        }
        let before = at.checked_sub(1).map(|before| &messages[before]["role"]);
        assert!(
            !is_of_blocks || before != Some(&message["role"]),
            "{about}: {body}"
        );
        for item in items(wire, message) {
            if let Some(id) = answered(wire, &item) {
                let at = open.iter().position(|place| calls[*place] == id);
                let at = at.unwrap_or_else(|| panic!("{about}: {id} answers nothing: {body}"));
                let answer = &answers[open.remove(at)];
                assert!(
                    item.to_string().contains(answer),
                    "{about}: {answer}: {item}"
                );
            }
            if let Some(id) = called(wire, &item) {
                // These providers find a call by its id in the whole request, and others among those that are open.
                let is_of_request = is_of_blocks || wire == Wire::OpenAiResponses;
                let mut known = calls.iter().enumerate();
                let is_known = known
                    .any(|(place, known)| *known == id && (is_of_request || open.contains(&place)));
                assert!(!is_known, "{about}: {id} stands twice: {body}");
                open.push(calls.len());
                calls.push(id);
            }
        }
    }
    let is_answered = open.is_empty() && calls.len() == answers.len();
    assert!(is_answered, "{about}: a call without an answer: {body}");
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
