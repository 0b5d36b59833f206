//! What is sent while a response streams is what the whole response says.

use serde_json::{Value, json};
use toolwright::{
    ToolCall, Wire,
    wire::{Completion, StreamEvent, Streamed},
};

use super::{stream, words};
use crate::wires::parsed;

/// The events after the last beginning.
fn valid(told: &[StreamEvent]) -> &[StreamEvent] {
    let restart = told
        .iter()
        .rposition(|event| *event == StreamEvent::Restart);
    &told[restart.map_or(0, |at| at + 1)..]
}

fn read(wire: Wire, events: &[Value]) -> (Vec<StreamEvent>, Streamed, Completion) {
    let (told, streamed) = stream(wire, events);
    let said = wire.completion(&streamed.response).unwrap();
    assert_eq!(words(valid(&told)), said.text, "{wire:?}: {events:?}");
    let begun = valid(&told)
        .iter()
        .filter(|event| matches!(event, StreamEvent::Call { .. }))
        .count();
    assert_eq!(begun, said.calls.len(), "{wire:?}: {events:?}");
    (told, streamed, said)
}

fn chat(id: &str, delta: &Value) -> Value {
    json!({"id": id, "choices": [{"index": 0, "delta": delta}]})
}

/// An attempt of each wire that says `words` and calls `now`, without its end.
fn attempt(wire: Wire, id: &str, words: &str) -> Vec<Value> {
    match wire {
        Wire::OpenAiChat => vec![
            chat(id, &json!({"role": "assistant", "content": ""})),
            chat(id, &json!({"content": words})),
            chat(id, &json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "now", "arguments": "{}"}}]})),
        ],
        Wire::OpenAiResponses => vec![
            json!({"type": "response.created", "response": {"id": id, "output": []}}),
            json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "id": "m", "content": []}}),
            json!({"type": "response.output_text.delta", "output_index": 0, "delta": words}),
            json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "message", "id": "m", "content": [{"type": "output_text", "text": words}]}}),
            json!({"type": "response.output_item.added", "output_index": 1, "item": {"type": "function_call", "id": "f", "call_id": "c", "name": "now", "arguments": ""}}),
            json!({"type": "response.function_call_arguments.done", "output_index": 1, "arguments": "{}"}),
        ],
        Wire::Anthropic => vec![
            json!({"type": "message_start", "message": {"id": id, "role": "assistant", "content": []}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": words}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "c", "name": "now", "input": {}}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{}"}}),
        ],
        Wire::Gemini => [json!({"text": ""}), json!({"text": words}), json!({"functionCall": {"id": "c", "name": "now", "args": {}}})]
            .into_iter()
            .map(|part| json!({"responseId": id, "candidates": [{"content": {"role": "model", "parts": [part]}}]}))
            .collect(),
        Wire::Ollama => vec![
            json!({"message": {"role": "assistant", "content": words}, "done": false}),
            json!({"message": {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "now", "arguments": {}}}]}, "done": false}),
        ],
        _ => vec![
            json!({"messageStart": {"role": "assistant"}}),
            json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": words}}}),
            json!({"contentBlockStop": {"contentBlockIndex": 0}}),
            json!({"contentBlockStart": {"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "c", "name": "now"}}}}),
            json!({"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": "{}"}}}}),
        ],
    }
}

fn end(wire: Wire, id: &str) -> Value {
    match wire {
        Wire::OpenAiChat => {
            json!({"id": id, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        }
        Wire::OpenAiResponses => {
            json!({"type": "response.completed", "response": {"id": id, "status": "completed", "output": []}})
        }
        Wire::Anthropic => json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        Wire::Gemini => json!({"responseId": id, "candidates": [{"finishReason": "STOP"}]}),
        Wire::Ollama => {
            json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop"})
        }
        _ => json!({"messageStop": {"stopReason": "tool_use"}}),
    }
}

const STREAMS: [Wire; 6] = [
    Wire::OpenAiChat,
    Wire::OpenAiResponses,
    Wire::Anthropic,
    Wire::Gemini,
    Wire::Ollama,
    Wire::BedrockConverse,
];

/// A proxy that tries again begins anew in the same stream, before or after an end.
#[test]
fn of_a_response_that_begins_anew_the_last_attempt_counts() {
    for wire in STREAMS {
        let first = attempt(wire, "a", "It is 4.");
        let mut second = attempt(wire, "b", "It is 5.");
        second.push(end(wire, "b"));
        for cut in 0..=first.len() + 1 {
            let mut begun = first.clone();
            begun.push(end(wire, "a"));
            begun.truncate(cut);
            // A single event may be of an imitator whose ids are all different.
            let is_seen = match wire {
                Wire::OpenAiChat | Wire::Gemini => cut >= 2,
                // Its lines have no ids: a new attempt shows after an end alone.
                Wire::Ollama => cut > first.len(),
                _ => cut >= 1,
            };
            let is_ended = cut > first.len();
            begun.extend(second.clone());
            if cut > 0 && !is_seen {
                continue;
            }
            let (told, streamed, said) = read(wire, &begun);
            assert!(streamed.ended, "{wire:?} {cut}");
            assert_eq!(
                said.text, "It is 5.",
                "{wire:?} after {cut}, ended: {is_ended}"
            );
            assert_eq!(said.calls.len(), 1, "{wire:?} after {cut}");
            // Nothing is void if nothing was sent.
            let is_void = cut > usize::from(wire == Wire::OpenAiResponses);
            assert_eq!(
                told.contains(&StreamEvent::Restart),
                is_void,
                "{wire:?} after {cut}"
            );
        }
        // The second breaks off: what came before it does not run in its place.
        let mut broken = first.clone();
        broken.push(end(wire, "a"));
        broken.push(second[0].clone());
        if wire != Wire::Gemini && wire != Wire::OpenAiChat {
            let (_, streamed) = stream(wire, &broken);
            assert!(!streamed.ended, "{wire:?}");
            assert_eq!(
                wire.calls(&streamed.response).unwrap(),
                [] as [ToolCall; 0],
                "{wire:?}"
            );
        }
    }
}

/// Imitators give every event another id, or repeat the role in each.
#[test]
fn ids_that_differ_in_every_event_are_no_beginning() {
    let events: Vec<_> = ["It ", "is ", "5."]
        .iter()
        .enumerate()
        .map(|(n, words)| {
            chat(
                &format!("x{n}"),
                &json!({"role": "assistant", "content": words}),
            )
        })
        .collect();
    let (told, _, said) = read(Wire::OpenAiChat, &events);
    assert_eq!(
        (said.text.as_str(), told.contains(&StreamEvent::Restart)),
        ("It is 5.", false)
    );
    let events: Vec<_> = ["It ", "is ", "5."]
        .iter()
        .map(|words| chat("x", &json!({"role": "assistant", "content": words})))
        .collect();
    assert_eq!(read(Wire::OpenAiChat, &events).2.text, "It is 5.");
    let mut counted = attempt(Wire::OpenAiChat, "a", "5");
    counted.push(json!({"id": "usage", "choices": [], "usage": {"prompt_tokens": 1}}));
    assert_eq!(read(Wire::OpenAiChat, &counted).2.text, "5");
}

#[test]
fn all_words_of_an_answer_are_sent_while_it_streams() {
    let gemini =
        |parts: Value| json!({"candidates": [{"content": {"role": "model", "parts": parts}}]});
    let rows = [
        // Gemini 3 signs its words.
        (
            Wire::Gemini,
            vec![
                gemini(json!([{"text": "Hm", "thought": true}])),
                gemini(json!([{"text": "It is "}])),
                gemini(json!([{"text": "5.", "thoughtSignature": "s"}])),
            ],
        ),
        (
            Wire::Gemini,
            vec![gemini(
                json!([{"text": "It is 5.", "thoughtSignature": "s"}, {"text": "", "thoughtSignature": "t"}]),
            )],
        ),
        (
            Wire::OpenAiChat,
            vec![
                chat("a", &json!({"refusal": "It is "})),
                chat("a", &json!({"refusal": "5."})),
            ],
        ),
        // Without pieces.
        (
            Wire::OpenAiResponses,
            vec![
                json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "message", "content": [{"type": "output_text", "text": "It is 5."}]}}),
            ],
        ),
        (
            Wire::OpenAiResponses,
            vec![
                json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "content": []}}),
                json!({"type": "response.output_text.delta", "output_index": 0, "delta": "It "}),
                json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "message", "content": [{"type": "output_text", "text": "It is 5."}]}}),
            ],
        ),
        (
            Wire::OpenAiResponses,
            vec![
                json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "content": []}}),
                json!({"type": "response.refusal.delta", "output_index": 0, "delta": "It is 5."}),
                json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "message", "content": [{"type": "refusal", "refusal": "It is 5."}]}}),
            ],
        ),
        (
            Wire::OpenAiResponses,
            vec![
                json!({"type": "response.completed", "response": {"status": "completed", "output": [
                    {"type": "message", "content": [{"type": "output_text", "text": "It is "}]},
                    {"type": "message", "content": [{"type": "output_text", "text": "5."}]},
                    {"type": "function_call", "call_id": "c", "name": "now", "arguments": "{}"},
                    {"type": "function_call", "call_id": "d", "name": "now", "arguments": "{}"},
                ]}}),
            ],
        ),
        (
            Wire::Anthropic,
            vec![
                json!({"type": "message_start", "message": {"role": "assistant", "content": []}}),
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "It "}}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "is 5."}}),
            ],
        ),
        (
            Wire::BedrockConverse,
            vec![
                json!({"messageStart": {"role": "assistant"}}),
                json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "It is 5."}}}),
                json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"citation": {"title": "a"}}}}),
            ],
        ),
        (
            Wire::Ollama,
            vec![
                json!({"message": {"role": "assistant", "content": "It is 5.", "thinking": "Hm"}, "done": false}),
            ],
        ),
    ];
    for (wire, events) in rows {
        let (_, _, said) = read(wire, &events);
        assert_eq!(said.text, "It is 5.", "{wire:?}: {events:?}");
    }
    let whole = json!({"output": {"message": {"role": "assistant", "content": [{"citationsContent": {"content": [{"text": "It is "}, {"text": "5."}], "citations": []}}]}}});
    assert_eq!(
        Wire::BedrockConverse
            .completion(&whole.to_string())
            .unwrap()
            .text,
        "It is 5."
    );
}

/// Imitators leave the end of an item out, and a stream may break off before it.
#[test]
fn words_of_an_item_without_an_end_are_in_the_response() {
    let item = json!({"type": "message", "role": "assistant", "content": []});
    let delta = |words: &str| json!({"type": "response.output_text.delta", "output_index": 0, "delta": words});
    let events = [
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        delta("It is "),
        delta("5."),
        json!({"type": "response.completed", "response": {"status": "completed", "output": []}}),
    ];
    for (count, status) in [(3, "incomplete"), (4, "completed")] {
        let (_, streamed, said) = self::read(Wire::OpenAiResponses, &events[..count]);
        assert_eq!((&*said.text, streamed.ended), ("It is 5.", count == 4));
        let item = &parsed(&streamed.response)["output"][0];
        assert_eq!(item["status"], status);
        let part = json!({"type": "output_text", "text": "It is 5.", "annotations": []});
        assert_eq!(item["content"], json!([part]));
    }
}

/// Events before a provider's error are kept, wherever the bytes are cut.
#[test]
fn what_came_before_an_error_is_sent_however_the_bytes_are_cut() {
    for wire in STREAMS {
        let mut events = attempt(wire, "a", "It is 5.");
        let error = json!({"message": "The model is asleep."});
        events.push(match wire {
            Wire::BedrockConverse => json!({"internalServerException": error}),
            Wire::Anthropic | Wire::OpenAiResponses => json!({"type": "error", "error": error}),
            _ => json!({"error": error}),
        });
        let lines = events.iter().map(|event| format!("data: {event}\n\n"));
        let text = lines.collect::<Vec<_>>().concat();
        for size in [1, 7, 100, text.len() - 1, text.len()] {
            for is_cut in [false, true] {
                let text = if is_cut { text.trim_end() } else { &text };
                let mut accumulator = wire.accumulator();
                let (mut told, mut errors) = (Vec::new(), Vec::new());
                for piece in text.as_bytes().chunks(size).chain([&b""[..]]) {
                    match accumulator.push_bytes(piece) {
                        Ok(events) => told.extend(events),
                        Err(error) => errors.push(error),
                    }
                }
                if is_cut {
                    errors.extend(accumulator.finish().err());
                }
                assert_eq!(words(&told), "It is 5.", "{wire:?} by {size}");
                let [error] = &errors[..] else {
                    panic!("{wire:?} by {size}: {errors:?}");
                };
                assert!(error.is_reported() && error.to_string().ends_with("The model is asleep."));
            }
        }
        // It may stand on the lines that are pushed at once, and words behind it are not lost.
        let mut accumulator = wire.accumulator();
        let lines = text.replace("\n\n", "\n") + &format!("data: {}\n", end(wire, "a"));
        assert_eq!(words(&accumulator.push(&lines).unwrap()), "It is 5.");
        assert!(accumulator.push("").is_err());
        let streamed = accumulator.finish().unwrap();
        assert!(streamed.ended, "{wire:?}");
        assert!(parsed(&streamed.response).is_object());
    }
}
