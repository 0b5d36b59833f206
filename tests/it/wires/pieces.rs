//! Streams of one call, whose arguments come in pieces.

use serde_json::{Value, json};
use toolwright::{ToolCall, Wire, wire::Streamed};

/// The events of a stream with one call, whose arguments come in these pieces.
pub(crate) fn events(wire: Wire, pieces: &[&str]) -> Vec<String> {
    let piece = |template: &dyn Fn(&Value) -> Value| -> Vec<String> {
        let events = pieces
            .iter()
            .map(|piece| template(&json!(piece)).to_string());
        events.collect()
    };
    let (before, middle, after) = match wire {
        Wire::OpenAiChat => (
            vec![
                json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "now", "arguments": ""}}]}}]}),
            ],
            piece(
                &|text| json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": text}}]}}]}),
            ),
            vec![json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]})],
        ),
        Wire::OpenAiResponses => (
            vec![
                json!({"type": "response.created", "response": {"id": "r", "output": []}}),
                json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "function_call", "id": "i", "call_id": "c", "name": "now", "arguments": ""}}),
            ],
            piece(
                &|text| json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": text}),
            ),
            // As imitators end it: with the output left out.
            vec![
                json!({"type": "response.completed", "response": {"id": "r", "status": "completed", "output": []}}),
            ],
        ),
        Wire::Anthropic => (
            vec![
                json!({"type": "message_start", "message": {"role": "assistant", "content": []}}),
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "c", "name": "now", "input": {}}}),
            ],
            piece(
                &|text| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": text}}),
            ),
            vec![json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}})],
        ),
        _ => (
            vec![
                json!({"contentBlockStart": {"start": {"toolUse": {"toolUseId": "c", "name": "now"}}, "contentBlockIndex": 0}}),
            ],
            piece(
                &|text| json!({"contentBlockDelta": {"delta": {"toolUse": {"input": text}}, "contentBlockIndex": 0}}),
            ),
            vec![json!({"messageStop": {"stopReason": "tool_use"}})],
        ),
    };
    let text = |events: Vec<Value>| events.into_iter().map(|event| event.to_string());
    text(before).chain(middle).chain(text(after)).collect()
}

/// The one call of the stream, and what broke off.
pub(crate) fn one_call(wire: Wire, events: &[String]) -> (Vec<ToolCall>, Streamed) {
    let mut accumulator = wire.accumulator();
    for event in events {
        accumulator.push(event).unwrap();
    }
    let streamed = accumulator.finish().unwrap();
    (wire.calls(&streamed.response).unwrap(), streamed)
}
