//! Whole responses, read: words, calls, why they ended, what they cost, what goes back.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::json;
use toolwright::{
    Dialect, DynTool, Encoder, ToolDef, Toolset, Wire,
    wire::{Completion, FinishReason},
};

use crate::wires::{NO_RESPONSES, answers, parsed, sample};

/// Every wire that has models on the other side: its stream, and the same response whole.
const MODELS: [(Wire, &str, &str); 6] = [
    (Wire::OpenAiChat, "openai_chat.sse", "openai_chat.json"),
    (
        Wire::OpenAiResponses,
        "openai_responses.sse",
        "openai_responses.json",
    ),
    (Wire::Anthropic, "anthropic.sse", "anthropic.json"),
    (Wire::Gemini, "gemini.sse", "gemini.json"),
    (Wire::Ollama, "ollama.ndjson", "ollama.json"),
    (Wire::BedrockConverse, "bedrock.ndjson", "bedrock.json"),
];

fn read(wire: Wire, response: &str) -> Completion {
    wire.completion(response).unwrap()
}

#[test]
fn a_response_says_its_words_its_calls_and_what_it_cost() {
    for (wire, _, whole) in MODELS {
        let response = sample(whole);
        let said = read(wire, &response);
        assert_eq!(said.text, "Ich schaue nach. 🌦", "{wire:?}");
        assert_eq!(said.calls, wire.calls(&response).unwrap(), "{wire:?}");
        assert_eq!(said.stop, Some(FinishReason::Done), "{wire:?}");
        let usage = said.usage.unwrap();
        let input = if wire == Wire::Ollama { 0 } else { 120 };
        // Gemini counts its thoughts apart.
        let output = if wire == Wire::Gemini { 48 + 12 } else { 48 };
        assert_eq!((usage.input, usage.output), (input, output), "{wire:?}");
        let turn = wire.turn(&response, &[], Encoder::auto()).unwrap();
        assert_eq!(format!("[{}]", said.messages.join(",")), turn, "{wire:?}");
    }
}

/// A response with a call for each of these ids.
fn calling(wire: Wire, ids: &[&str]) -> String {
    let each =
        |call: fn(&str) -> serde_json::Value| -> Vec<_> { ids.iter().map(|id| call(id)).collect() };
    let response = match wire {
        Wire::OpenAiChat => {
            json!({"choices": [{"message": {"role": "assistant", "tool_calls": each(|id| {
                json!({"id": id, "type": "function", "function": {"name": "now", "arguments": "{}"}})
            })}}]})
        }
        Wire::OpenAiResponses => json!({"output": each(|id| {
            json!({"type": "function_call", "call_id": id, "name": "now", "arguments": "{}"})
        })}),
        Wire::Anthropic => json!({"content": each(|id| {
            json!({"type": "tool_use", "id": id, "name": "now", "input": {}})
        })}),
        Wire::Gemini => json!({"candidates": [{"content": {"role": "model", "parts": each(|id| {
            json!({"functionCall": {"id": id, "name": "now", "args": {}}})
        })}}]}),
        Wire::Ollama => json!({"message": {"role": "assistant", "tool_calls": each(|id| {
            json!({"id": id, "function": {"name": "now", "arguments": {}}})
        })}}),
        _ => json!({"output": {"message": {"role": "assistant", "content": each(|id| {
            json!({"toolUse": {"toolUseId": id, "name": "now", "input": {}}})
        })}}}),
    };
    response.to_string()
}

#[test]
fn a_call_whose_id_stands_before_it_goes_by_another_in_all_that_is_sent() {
    for (wire, _, _) in MODELS {
        let response = calling(wire, &["same", "same", "call_1", "same"]);
        let said = read(wire, &response);
        let ids: Vec<_> = said.calls.iter().map(|call| call.id.to_string()).collect();
        assert_eq!(ids, ["same", "call_1_", "call_1", "call_3"], "{wire:?}");
        let results = answers(wire, &response);
        assert_eq!(results.len(), 4, "{wire:?}");
        let turn = wire.turn(&response, &results, Encoder::auto()).unwrap();
        for id in &ids {
            // In the call, and in its answer.
            let quoted = format!(r#""{id}""#);
            assert_eq!(turn.matches(&quoted).count(), 2, "{wire:?} {turn}");
            let echoed = said.messages.join(",");
            assert_eq!(echoed.matches(&quoted).count(), 1, "{wire:?} {echoed}");
        }
    }
}

#[test]
fn a_call_that_can_go_back_stays_as_it_came_beside_one_that_cannot() {
    for (wire, _, _) in MODELS {
        let response = calling(wire, &["same", "same"]).replace(r#"":{"#, r#"" : {"#);
        let echoed = read(wire, &response).messages.join(",");
        // The first call, up to its id.
        let (good, _) = response.split_once(r#""same""#).unwrap();
        let (_, good) = good.rsplit_once('[').unwrap();
        assert!(echoed.contains(good), "{wire:?}: {echoed} has no {good}");
    }
}

#[test]
fn a_stream_reads_as_the_whole_response_does() {
    for (wire, stream, whole) in MODELS {
        let mut pieces = wire.accumulator();
        pieces.push_bytes(sample(stream).as_bytes()).unwrap();
        let streamed = read(wire, &pieces.finish().unwrap().response);
        let whole = read(wire, &sample(whole));
        assert_eq!(streamed.text, whole.text, "{wire:?}");
        assert_eq!(streamed.calls, whole.calls, "{wire:?}");
        assert_eq!(streamed.stop, whole.stop, "{wire:?}");
        assert_eq!(streamed.usage, whole.usage, "{wire:?}");
    }
}

#[test]
fn a_stream_that_is_cut_anywhere_has_not_ended_or_says_it_all() {
    for (wire, stream, whole) in MODELS {
        let (stream, whole) = (sample(stream), read(wire, &sample(whole)));
        let mut ended = 0;
        let cuts = (0..stream.len()).step_by(5).chain([stream.len()]);
        for cut in cuts {
            let mut pieces = wire.accumulator();
            pieces.push_bytes(&stream.as_bytes()[..cut]).unwrap();
            let Ok(streamed) = pieces.finish() else {
                continue;
            };
            if streamed.ended {
                ended += 1;
                let said = read(wire, &streamed.response);
                assert_eq!(
                    (said.text, said.calls),
                    (whole.text.clone(), whole.calls.clone())
                );
            }
        }
        assert!(ended > 0, "{wire:?}");
    }
}

/// A response with these words and this reason for its end.
fn ended(wire: Wire, reason: &str) -> String {
    let response = match wire {
        Wire::OpenAiChat => json!({"choices": [
            {"message": {"role": "assistant", "content": "No"}, "finish_reason": reason}
        ]}),
        Wire::OpenAiResponses => json!({
            "status": "incomplete", "incomplete_details": {"reason": reason},
            "output": [{"type": "message", "content": [{"type": "output_text", "text": "No"}]}],
        }),
        Wire::Anthropic => json!({
            "content": [{"type": "text", "text": "No"}], "stop_reason": reason,
        }),
        Wire::Gemini => json!({"candidates": [
            {"content": {"role": "model", "parts": [{"text": "No"}]}, "finishReason": reason}
        ]}),
        Wire::Ollama => json!({
            "message": {"role": "assistant", "content": "No"}, "done": true, "done_reason": reason,
        }),
        _ => json!({
            "output": {"message": {"role": "assistant", "content": [{"text": "No"}]}},
            "stopReason": reason,
        }),
    };
    response.to_string()
}

#[test]
fn why_a_response_ended_is_told() {
    let other = |word: &str| FinishReason::Other(word.to_owned());
    let failed = |word: &str| FinishReason::Failed(word.to_owned());
    let rows = [
        (Wire::OpenAiChat, "stop", FinishReason::Done),
        (Wire::OpenAiChat, "length", FinishReason::CutOff),
        (Wire::OpenAiChat, "content_filter", FinishReason::Filtered),
        (Wire::OpenAiChat, "abort", failed("abort")),
        (Wire::OpenAiChat, "tired", other("tired")),
        (
            Wire::OpenAiResponses,
            "max_output_tokens",
            FinishReason::CutOff,
        ),
        (
            Wire::OpenAiResponses,
            "content_filter",
            FinishReason::Filtered,
        ),
        (Wire::Anthropic, "end_turn", FinishReason::Done),
        (Wire::Anthropic, "max_tokens", FinishReason::CutOff),
        (Wire::Anthropic, "refusal", FinishReason::Refused),
        (Wire::Anthropic, "pause_turn", FinishReason::Paused),
        (Wire::Gemini, "MAX_TOKENS", FinishReason::CutOff),
        (Wire::Gemini, "SAFETY", FinishReason::Filtered),
        (
            Wire::Gemini,
            "MALFORMED_FUNCTION_CALL",
            FinishReason::MalformedCall,
        ),
        (Wire::Ollama, "length", FinishReason::CutOff),
        (Wire::BedrockConverse, "max_tokens", FinishReason::CutOff),
        (
            Wire::BedrockConverse,
            "guardrail_intervened",
            FinishReason::Filtered,
        ),
    ];
    for (wire, reason, stop) in rows {
        let said = read(wire, &ended(wire, reason));
        assert_eq!(said.stop, Some(stop), "{wire:?}: {reason}");
        assert_eq!(said.text, "No", "{wire:?}");
        assert_eq!(said.usage, None, "{wire:?}");
    }
}

#[test]
fn a_refusal_in_words_is_told_with_its_words() {
    let chat = json!({"choices": [{"finish_reason": "stop", "message":
        {"role": "assistant", "content": null, "refusal": "I cannot."}}]});
    let responses = json!({"status": "completed", "output": [{"type": "message", "content":
        [{"type": "refusal", "refusal": "I cannot."}]}]});
    for (wire, response) in [(Wire::OpenAiChat, chat), (Wire::OpenAiResponses, responses)] {
        let said = read(wire, &response.to_string());
        assert_eq!(said.text, "I cannot.");
        assert_eq!(said.stop, Some(FinishReason::Refused));
    }
}

#[test]
fn what_is_read_from_a_cache_is_counted() {
    let response = json!({
        "content": [], "stop_reason": "end_turn",
        "usage": {"input_tokens": 3, "cache_read_input_tokens": 100,
                  "cache_creation_input_tokens": 20, "output_tokens": 1},
    });
    let usage = read(Wire::Anthropic, &response.to_string()).usage.unwrap();
    assert_eq!((usage.input, usage.output), (123, 1));
}

#[test]
fn words_come_in_parts_too() {
    let response = json!({"choices": [{"message": {"role": "assistant", "content":
        [{"type": "text", "text": "It is "}, {"type": "thinking", "text": "?"}, {"type": "text", "text": "5."}]}}]});
    assert_eq!(
        read(Wire::OpenAiChat, &response.to_string()).text,
        "It is 5."
    );
    let short = json!({"role": "assistant", "content": "It is 5."});
    assert_eq!(read(Wire::Anthropic, &short.to_string()).text, "It is 5.");
}

#[test]
fn half_of_a_surrogate_pair_empties_no_text() {
    let rows = [
        (r"N\ud800o", "N\u{fffd}o"),
        (r"\udd80No\uD83E", "\u{fffd}No\u{fffd}"),
        (
            r"\ud83e\ud83e\udd80 \u20ac \ud83en",
            "\u{fffd}🦀 € \u{fffd}n",
        ),
    ];
    for (wire, ..) in MODELS {
        for (escaped, expected) in rows {
            let response = ended(wire, "stop").replace("No", escaped);
            assert_eq!(read(wire, &response).text, expected, "{wire:?}");
        }
    }
}

#[test]
fn half_of_a_surrogate_pair_leaves_a_calls_arguments_what_they_are() {
    let response = r#"{"choices": [{"message": {"role": "assistant", "tool_calls":
        [{"id": "c\ud800", "function": {"name": "a\ud800", "arguments": "{\"a\": \"\ud800 \\ud83e\\udd80\"}"}}]}}]}"#;
    let said = read(Wire::OpenAiChat, response);
    assert_eq!(&*said.calls[0].name, "a\u{fffd}");
    let arguments = parsed(&said.calls[0].arguments);
    assert_eq!(arguments, json!({"a": "\u{fffd} 🦀"}));
    // An id that no answer could repeat is none.
    assert_eq!(&*said.calls[0].id, "call_0");
    assert!(said.messages[0].contains(r#""id":"call_0""#));
}

#[test]
fn a_response_that_failed_is_an_error_in_the_providers_words() {
    let response = json!({"status": "failed", "output": [],
        "error": {"code": "server_error", "message": "The model is asleep."}});
    let error = Wire::OpenAiResponses.completion(&response.to_string());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("The model is asleep."), "{error}");
    let without_output = r#"{"status": "failed", "error": {"message": "The model is asleep."}}"#;
    let error = Wire::OpenAiResponses.calls(without_output).unwrap_err();
    assert!(error.is_reported(), "{error}");
    let blocked = r#"{"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {}}"#;
    let error = Wire::Gemini.completion(blocked).unwrap_err().to_string();
    assert_eq!(error, "Gemini blocked the prompt: SAFETY");
    let blocked = r#"{"promptFeedback": {"blockReason": "A\nB"}}"#;
    let error = Wire::Gemini.calls(blocked).unwrap_err().to_string();
    assert_eq!(error, r"Gemini blocked the prompt: A\nB");
    for (wire, ..) in MODELS {
        for text in NO_RESPONSES {
            assert!(wire.completion(text).is_err(), "{wire:?}: {text}");
        }
    }
}

#[test]
fn calls_go_by_the_names_of_the_tools() {
    let def = ToolDef::new("files.list", "Lists files.");
    let tools = Toolset::new([DynTool::declare(def)]).unwrap();
    let sent = Wire::OpenAiChat
        .definitions_in(&tools, Dialect::OpenAiStrict)
        .unwrap();
    let response = json!({"choices": [{"message": {"role": "assistant", "tool_calls": [
        {"id": "c1", "function": {"name": "files_list", "arguments": "{}"}}
    ]}}]});
    let said = sent.completion(&response.to_string()).unwrap();
    assert_eq!(&*said.calls[0].name, "files.list");
    // What goes back is what the provider wrote.
    let back = parsed(&said.messages[0]);
    assert_eq!(back["tool_calls"][0]["function"]["name"], "files_list");
}

#[test]
fn of_a_client_there_are_calls_alone() {
    let said = read(Wire::Mcp, &sample("mcp.json"));
    assert_eq!(said.calls.len(), 3);
    assert_eq!(
        (said.text.as_str(), said.stop, said.usage),
        ("", None, None)
    );
}
