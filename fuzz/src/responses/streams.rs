//! Responses that come in pieces.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolwright::{
    ToolCall, Wire,
    wire::{StreamEvent, Streamed},
};

use super::check_response;
use super::forms::{is_plain, said};

/// What a stream told of a call on the way.
#[derive(Debug, Default, PartialEq)]
struct Told {
    name: Option<String>,
    arguments: String,
}

/// What a stream told, and what it came to.
#[derive(Debug, Default, PartialEq)]
struct Taken {
    /// By place.
    told: BTreeMap<usize, Told>,
    /// Every piece could be read.
    is_whole: bool,
    streamed: Option<Streamed>,
}

fn take(wire: Wire, pieces: &[&[u8]]) -> Taken {
    let mut stream = wire.accumulator();
    let mut taken = Taken {
        is_whole: true,
        ..Taken::default()
    };
    for piece in pieces {
        let mut news = stream.push_bytes(piece);
        // Behind the events, there may be an error.
        while !matches!(&news, Ok(events) if events.is_empty()) {
            taken.is_whole &= news.is_ok();
            for event in news.unwrap_or_default() {
                taken.take(event);
            }
            news = stream.push_bytes(b"");
        }
    }
    taken.streamed = stream.finish().ok();
    taken
}

impl Taken {
    fn take(&mut self, event: StreamEvent) {
        match event {
            StreamEvent::Restart => self.told.clear(),
            StreamEvent::Call { place, name } => {
                let told = self.told.entry(place).or_default().name.replace(name);
                assert_eq!(told, None, "a call begins once");
            }
            StreamEvent::Arguments { place, text } => {
                self.told.entry(place).or_default().arguments += &text;
            }
            _ => {}
        }
    }
}

/// A stream says the same wherever it is cut, and what it comes to is a response with the calls that
/// it told.
pub(super) fn check(wire: Wire, text: &str) {
    // What the end of the last line brings is not told.
    let text = format!("{text}\n");
    let bytes = text.as_bytes();
    let whole = take(wire, &[bytes]);
    let (left, right) = bytes.split_at(bytes.len() / 2);
    let cut = take(wire, &[left, right]);
    assert_eq!(cut.streamed, whole.streamed, "cut in the middle");
    let without_end = take(wire, &[&bytes[..bytes.len() - 1]]);
    assert_eq!(cut.is_whole, whole.is_whole);
    if whole.is_whole {
        // An error on the last line is returned in place of the response.
        assert_eq!(without_end.streamed, whole.streamed, "without an end");
        assert_eq!(cut.told, whole.told, "cut in the middle");
    }
    let Some(streamed) = &whole.streamed else {
        return;
    };
    let calls = check_response(wire, &streamed.response);
    // MCP streams nothing: what came is the response, whatever it is.
    let is_request = matches!(wire, Wire::Mcp | Wire::Mcp2026);
    let Some(calls) = calls else {
        let error = wire.calls(&streamed.response).unwrap_err().to_string();
        // The response is whole, but its wire cannot read it.
        let is_of_other = ["cannot be answered here", "Cohere"]
            .iter()
            .any(|word| error.contains(word));
        return assert!(is_request || is_of_other, "{} is none", streamed.response);
    };
    check_told(wire, &text, &whole, &calls, streamed);
}

/// The calls are those that were told on the way, or broke off.
fn check_told(wire: Wire, text: &str, taken: &Taken, calls: &[ToolCall], streamed: &Streamed) {
    let broken = &streamed.unfinished;
    // Of Gemini, a call may lack arguments that were announced.
    assert!(!streamed.ended || broken.is_empty() || wire == Wire::Gemini);
    // The provider's own word of the whole response holds, whatever came before.
    let may_be_said_anew = text.contains("\"output\"") || text.contains("\\u");
    if wire == Wire::OpenAiResponses && may_be_said_anew {
        return;
    }
    let told = &taken.told;
    if matches!(wire, Wire::Mcp | Wire::Mcp2026) {
        return assert!(told.is_empty());
    }
    let begun = told.values().filter(|told| told.name.is_some()).count();
    assert!(begun <= calls.len() + broken.len(), "{told:?}, {calls:?}");
    // Of a chat a call is told once it has a name.
    let is_told = wire == Wire::OpenAiChat || !taken.is_whole;
    assert!(
        is_told || begun == calls.len() + broken.len(),
        "{told:?}, {calls:?}"
    );
    // Pieces of these may say a name anew, or be of another type.
    let is_loose = matches!(wire, Wire::OpenAiChat | Wire::OpenAiResponses);
    if is_loose || !taken.is_whole {
        return;
    }
    let names = calls.iter().chain(broken).map(|call| &*call.name);
    let names_told = told.values().filter_map(|told| told.name.as_deref());
    assert_eq!(sorted(names), sorted(names_told));
    if !broken.is_empty() {
        return;
    }
    assert_eq!(told.len(), calls.len(), "{told:?}, {calls:?}");
    for (call, (_, told)) in calls.iter().zip(told) {
        assert_eq!(Some(&*call.name), told.name.as_deref());
        let is_told =
            *call.arguments == told.arguments || *call.arguments == said_in(&told.arguments);
        // Of a call that is none, or in which a key stands twice, nothing is read.
        let is_unreadable = call.name.is_empty() && call.arguments.is_empty();
        let is_silent = told.arguments.is_empty() || is_unreadable;
        assert!(is_told || is_silent, "{told:?}, {call:?}");
    }
}

fn sorted<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names
}

/// Calls that are streamed in pieces come out as they went in, and are told as they are.
pub(super) fn check_streamed(wire: Wire, calls: &[ToolCall]) {
    let Some(events) = events(wire, calls) else {
        return;
    };
    let lines: Vec<String> = events.iter().map(|event| format!("{event}\n")).collect();
    let taken = take(
        wire,
        &lines.iter().map(String::as_bytes).collect::<Vec<_>>(),
    );
    assert!(taken.is_whole);
    let streamed = taken.streamed.expect("a response");
    assert!(streamed.ended);
    let read = wire.calls(&streamed.response).expect("a response");
    assert_eq!(read.len(), calls.len(), "{events:?}");
    for (place, (read, call)) in read.iter().zip(calls).enumerate() {
        assert_eq!((&read.id, &read.name), (&call.id, &call.name));
        // Where arguments are JSON, those in a string are taken out of it, and none are an object.
        let is_text = matches!(wire, Wire::OpenAiChat | Wire::OpenAiResponses);
        let expected = match &*call.arguments {
            text if is_text => text.to_owned(),
            "" => "{}".to_owned(),
            text => said_in(text),
        };
        assert_eq!(*read.arguments, expected);
        let told = taken.told.get(&place);
        assert_eq!(told.map_or("", |told| &told.arguments), &*call.arguments);
        // A piece of a chat need not have a name.
        let name = told.and_then(|told| told.name.as_deref());
        assert_eq!(name.unwrap_or_default(), &*call.name);
    }
}

/// Where a response is an event of a stream, too, it has the same calls there.
pub(super) fn check_one_event(wire: Wire, response: &str, calls: &[ToolCall]) {
    let is_event = matches!(
        wire,
        Wire::Gemini | Wire::Ollama | Wire::Mcp | Wire::Mcp2026
    );
    let mut stream = wire.accumulator();
    if !is_event || !is_plain(response) || stream.push(response).is_err() {
        return;
    }
    let streamed = stream.finish().expect("a response");
    let read = wire.calls(&streamed.response).expect("a response");
    assert_eq!(read, calls, "{}", streamed.response);
}

/// What a text says where JSON stands.
fn said_in(text: &str) -> String {
    match serde_json::from_str::<&RawValue>(text) {
        Ok(json) if json.get() == "null" => String::new(),
        Ok(json) => said(Some(json)),
        Err(_) => text.to_owned(),
    }
}

/// The calls as the events of a stream, on wires whose arguments come in pieces: all calls begin, then
/// each gains the first piece, then the next.
fn events(wire: Wire, calls: &[ToolCall]) -> Option<Vec<Value>> {
    let begun = |(at, call): (usize, &ToolCall)| {
        let (id, name) = (&*call.id, &*call.name);
        Some(match wire {
            Wire::OpenAiChat => {
                chat(&json!({"index": at, "id": id, "function": {"name": name, "arguments": ""}}))
            }
            Wire::OpenAiResponses => {
                json!({"type": "response.output_item.added", "output_index": at, "item":
                {"type": "function_call", "call_id": id, "name": name, "arguments": ""}})
            }
            Wire::Anthropic => json!({"type": "content_block_start", "index": at, "content_block":
                {"type": "tool_use", "id": id, "name": name, "input": {}}}),
            Wire::BedrockConverse => json!({"contentBlockStart": {"contentBlockIndex": at, "start":
                {"toolUse": {"toolUseId": id, "name": name}}}}),
            _ => return None,
        })
    };
    let added = |at: usize, piece: &str| match wire {
        Wire::OpenAiChat => chat(&json!({"index": at, "function": {"arguments": piece}})),
        Wire::OpenAiResponses => {
            json!({"type": "response.function_call_arguments.delta", "output_index": at,
            "delta": piece})
        }
        Wire::Anthropic => json!({"type": "content_block_delta", "index": at, "delta":
            {"type": "input_json_delta", "partial_json": piece}}),
        _ => {
            json!({"contentBlockDelta": {"contentBlockIndex": at, "delta": {"toolUse": {"input": piece}}}})
        }
    };
    let mut events: Vec<Value> = calls.iter().enumerate().map(begun).collect::<Option<_>>()?;
    let mut left: Vec<&str> = calls.iter().map(|call| &*call.arguments).collect();
    while left.iter().any(|left| !left.is_empty()) {
        for (at, left) in left.iter_mut().enumerate() {
            let (piece, rest) = left.split_at(left.ceil_char_boundary(left.len() / 2 + 1));
            events.push(added(at, piece));
            *left = rest;
        }
    }
    events.push(match wire {
        Wire::OpenAiChat => json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}),
        Wire::OpenAiResponses => json!({"type": "response.completed", "response": {"output": []}}),
        Wire::Anthropic => json!({"type": "message_stop"}),
        Wire::BedrockConverse => json!({"messageStop": {"stopReason": "tool_use"}}),
        _ => return None,
    });
    Some(events)
}

fn chat(piece: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]})
}
