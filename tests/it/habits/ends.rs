//! The reasons for an end that each provider has.

use serde_json::{Value, json};
use toolwright::{Wire, wire::FinishReason};

use super::{read, stream};

fn ended(wire: Wire, reason: &str) -> Value {
    match wire {
        Wire::OpenAiChat => {
            json!({"choices": [{"finish_reason": reason, "message": {"role": "assistant", "content": "No"}}]})
        }
        Wire::OpenAiResponses => json!({"status": reason, "output": []}),
        Wire::Anthropic => {
            json!({"content": [{"type": "text", "text": "No"}], "stop_reason": reason})
        }
        Wire::Gemini => {
            json!({"candidates": [{"content": {"parts": [{"text": "No"}], "role": "model"}, "finishReason": reason}]})
        }
        Wire::Ollama => {
            json!({"message": {"role": "assistant", "content": "No"}, "done": true, "done_reason": reason})
        }
        _ => {
            json!({"output": {"message": {"role": "assistant", "content": [{"text": "No"}]}}, "stopReason": reason})
        }
    }
}

#[test]
fn each_providers_reasons_are_known() {
    let rows = [
        (Wire::OpenAiChat, "eos", FinishReason::Done),
        (Wire::OpenAiChat, "eos_token", FinishReason::Done),
        (Wire::OpenAiChat, "stop_sequence", FinishReason::Done),
        (Wire::OpenAiChat, "model_length", FinishReason::CutOff),
        (Wire::OpenAiChat, "max_tokens", FinishReason::CutOff),
        (Wire::OpenAiResponses, "completed", FinishReason::Done),
        (Wire::OpenAiResponses, "queued", FinishReason::InProgress),
        (
            Wire::OpenAiResponses,
            "in_progress",
            FinishReason::InProgress,
        ),
        (
            Wire::OpenAiResponses,
            "cancelled",
            FinishReason::Failed("cancelled".into()),
        ),
        (
            Wire::OpenAiResponses,
            "incomplete",
            FinishReason::Failed("incomplete".into()),
        ),
        (Wire::Anthropic, "pause_turn", FinishReason::Paused),
        (Wire::Anthropic, "compaction", FinishReason::Paused),
        (Wire::Gemini, "MODEL_ARMOR", FinishReason::Filtered),
        (
            Wire::Gemini,
            "IMAGE_PROHIBITED_CONTENT",
            FinishReason::Filtered,
        ),
        (Wire::Gemini, "IMAGE_RECITATION", FinishReason::Filtered),
        (
            Wire::Gemini,
            "MALFORMED_FUNCTION_CALL",
            FinishReason::MalformedCall,
        ),
        (
            Wire::BedrockConverse,
            "content_filtered",
            FinishReason::Filtered,
        ),
        (
            Wire::BedrockConverse,
            "malformed_tool_use",
            FinishReason::MalformedCall,
        ),
        (Wire::Anthropic, "refusal", FinishReason::Refused),
        (
            Wire::BedrockConverse,
            "malformed_model_output",
            FinishReason::Failed("malformed_model_output".into()),
        ),
        (Wire::Gemini, "OTHER", FinishReason::Failed("OTHER".into())),
        (
            Wire::Gemini,
            "UNEXPECTED_TOOL_CALL",
            FinishReason::MalformedCall,
        ),
        (Wire::Ollama, "load", FinishReason::Other("load".into())),
    ];
    for (wire, reason, stop) in rows {
        assert_eq!(
            read(wire, &ended(wire, reason)).stop,
            Some(stop),
            "{wire:?}: {reason}"
        );
    }
    let cut = json!({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": []});
    assert_eq!(
        read(Wire::OpenAiResponses, &cut).stop,
        Some(FinishReason::CutOff)
    );
    // A word that no table knows is that of a response that is not complete.
    let other =
        json!({"status": "incomplete", "incomplete_details": {"reason": "tired"}, "output": []});
    assert_eq!(
        read(Wire::OpenAiResponses, &other).stop,
        Some(FinishReason::Failed("tired".into()))
    );
}

/// Azure leaves the message out of a choice that its filter stopped.
#[test]
fn a_choice_that_was_filtered_needs_no_message() {
    for choice in [
        json!({"index": 0, "finish_reason": "content_filter", "content_filter_results": {}}),
        json!({"index": 0, "finish_reason": "content_filter", "message": null}),
        json!({"index": 0, "finish_reason": "content_filter", "message": {}}),
    ] {
        let said = read(
            Wire::OpenAiChat,
            &json!({"choices": [choice], "usage": {"prompt_tokens": 7}}),
        );
        assert_eq!(
            (said.stop, said.text.as_str()),
            (Some(FinishReason::Filtered), "")
        );
        assert_eq!((said.messages.len(), said.usage.unwrap().input), (0, 7));
    }
    let lost = json!({"choices": [{"index": 0, "finish_reason": "stop"}]}).to_string();
    assert!(Wire::OpenAiChat.completion(&lost).is_err());
    let filtered = [
        json!({"choices": [{"index": 0, "finish_reason": "content_filter", "content_filter_results": {}}]}),
    ];
    let (_, streamed) = stream(Wire::OpenAiChat, &filtered);
    assert_eq!(
        Wire::OpenAiChat
            .completion(&streamed.response)
            .unwrap()
            .stop,
        Some(FinishReason::Filtered)
    );
}
