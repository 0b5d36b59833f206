//! The calls of streams are those that were told on the way, also where a stream is not as its provider
//! says that it is.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::{Value, json};
use toolwright::{ToolCall, Wire, wire::StreamEvent};

use crate::wires::parsed;
use crate::wires::pieces::{events, one_call};

#[test]
fn calls_are_told_as_they_are_read() {
    let calls = [
        (json!({"name": 7, "a": "{\"n\": 1}"}), ("7", "{\"n\": 1}")),
        (json!({"name": null, "a": null}), ("", "")),
        (json!({"name": "now", "a": [1]}), ("now", "[1]")),
    ];
    for wire in [Wire::Gemini, Wire::Ollama] {
        let mut accumulator = wire.accumulator();
        let mut told = vec![(String::new(), String::new()); calls.len()];
        for (call, _) in &calls {
            let event = if wire == Wire::Gemini {
                let call = json!({"name": call["name"], "args": call["a"]});
                json!({"candidates": [{"content": {"parts": [{"functionCall": call}]}}]})
            } else {
                let call = json!({"name": call["name"], "arguments": call["a"]});
                json!({"message": {"tool_calls": [{"function": call}]}})
            };
            for event in accumulator.push(&event.to_string()).unwrap() {
                match event {
                    StreamEvent::Call { place, name } => told[place].0 = name,
                    StreamEvent::Arguments { place, text } => told[place].1 += &text,
                    _ => unreachable!("{wire:?}"),
                }
            }
        }
        let streamed = accumulator.finish().unwrap();
        let read = wire.calls(&streamed.response).unwrap();
        for ((call, told), (_, expected)) in read.iter().zip(&told).zip(&calls) {
            assert_eq!((&*call.name, &*call.arguments), *expected, "{wire:?}");
            assert_eq!((&*told.0, &*told.1), *expected, "{wire:?}");
        }
    }
}

#[test]
fn blocks_of_one_index_are_as_many_as_begin() {
    for wire in [Wire::Anthropic, Wire::BedrockConverse] {
        let mut twice = events(wire, &["{}"]);
        let (begun, end) = (twice.len() - 3, twice.len() - 1);
        for event in twice.clone().drain(begun..end).rev() {
            twice.insert(end, event.replace("now", "then").replace("\"c\"", "\"d\""));
        }
        let (calls, streamed) = one_call(wire, &twice);
        let whole = [("c", "now"), ("d", "then")].map(|(id, name)| ToolCall::new(id, name, "{}"));
        assert_eq!(calls, whole, "{wire:?}: {}", streamed.response);
        // A piece that comes before its block began is of it, and the first that begins is the first.
        let mut early = events(wire, &["{}"]);
        let other = twice[begun + 2].replace("ndex\":0", "ndex\":1");
        let (begun, piece) = (early.len() - 3, early.len() - 2);
        early.swap(begun, piece);
        early.insert(piece, other);
        let (calls, _) = one_call(wire, &early);
        let names: Vec<_> = calls.iter().map(|call| &*call.name).collect();
        assert_eq!(names, ["then", "now"], "{wire:?}");
    }
}

#[test]
fn a_piece_before_its_block_is_told_with_it() {
    for wire in [Wire::Anthropic, Wire::BedrockConverse] {
        let mut events = events(wire, &["[1", "]"]);
        let piece = events.len() - 3;
        events.swap(piece - 1, piece);
        let mut accumulator = wire.accumulator();
        let mut told = String::new();
        for event in &events {
            for news in accumulator.push(event).unwrap() {
                if let StreamEvent::Arguments { text, .. } = news {
                    told += &text;
                }
            }
        }
        assert_eq!(told, "[1]", "{wire:?}");
        assert_eq!(&*one_call(wire, &events).0[0].arguments, "[1]");
    }
}

#[test]
fn of_a_name_that_stands_twice_the_one_that_is_read_is_told() {
    for wire in [Wire::Anthropic, Wire::BedrockConverse] {
        let mut accumulator = wire.accumulator();
        let mut told = Vec::new();
        for event in events(wire, &["{}"]) {
            let event = event.replace(r#""name":"now""#, r#""name":"x","name":"now""#);
            told.extend(accumulator.push(&event).unwrap());
        }
        let calls = wire.calls(&accumulator.finish().unwrap().response).unwrap();
        let (place, name) = (0, calls[0].name.to_string());
        assert_eq!(told.first(), Some(&StreamEvent::Call { place, name }));
        assert_eq!(calls.len(), 1, "{wire:?}");
    }
}

#[test]
fn items_of_one_index_are_as_many_as_came() {
    let said = |kind: &str, item: &Value| json!({"type": format!("response.output_item.{kind}"), "output_index": 0, "item": item});
    let call = |id: &str, arguments: &str| json!({"type": "function_call", "call_id": id, "name": "now", "arguments": arguments});
    let words = json!({"type": "message", "content": []});
    let mut accumulator = Wire::OpenAiResponses.accumulator();
    let mut told = 0;
    for event in [
        said("added", &words),
        said("done", &words),
        said("added", &words),
        said("done", &words),
        said("added", &call("a", "")),
        json!({"type": "response.function_call_arguments.done", "output_index": 0, "arguments": "{}"}),
        said("added", &call("b", "")),
        said("done", &call("a", "{}")),
        said("done", &call("b", "[1]")),
        json!({"type": "response.completed"}),
    ] {
        let news = accumulator.push(&event.to_string()).unwrap();
        let begun = |news: &&StreamEvent| matches!(news, StreamEvent::Call { .. });
        told += news.iter().filter(begun).count();
    }
    let response = accumulator.finish().unwrap().response;
    let calls = Wire::OpenAiResponses.calls(&response).unwrap();
    let expected = [("a", "{}"), ("b", "[1]")].map(|(id, args)| ToolCall::new(id, "now", args));
    assert_eq!(calls, expected, "{response}");
    assert_eq!(told, 2);
    assert_eq!(parsed(&response)["output"].as_array().unwrap().len(), 4);
}

#[test]
fn a_piece_does_not_make_a_call_of_what_began_otherwise() {
    for (wire, pieces) in [
        (
            Wire::Anthropic,
            [
                json!({"type": "content_block_delta", "index": 0, "delta": {"name": "x", "id": "d"}}),
                json!({"type": "content_block_delta", "index": 1, "delta": {"type": "tool_use", "name": "x"}}),
            ],
        ),
        (
            Wire::BedrockConverse,
            [
                json!({"contentBlockDelta": {"delta": {"toolUse": {"name": "x", "toolUseId": "d"}}, "contentBlockIndex": 0}}),
                json!({"contentBlockDelta": {"delta": {"toolUse": {"x": 1}}, "contentBlockIndex": 1}}),
            ],
        ),
        (
            Wire::BedrockConverse,
            [
                json!({"contentBlockDelta": {"delta": {"toolUse": {"x": 1}}, "contentBlockIndex": 1}}),
                json!({"contentBlockStart": {"start": {"toolUse": null}, "contentBlockIndex": 1}}),
            ],
        ),
    ] {
        let mut events = events(wire, &["{}"]);
        let at = events.len() - 1;
        for piece in pieces {
            events.insert(at, piece.to_string());
        }
        let (calls, _) = one_call(wire, &events);
        assert_eq!(calls, [ToolCall::new("c", "now", "{}")], "{wire:?}");
    }
}
