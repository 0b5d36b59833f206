//! Tokens, wherever a provider counts them. A budget never counts too low.

use serde_json::{Value, json};
use toolwright::{Wire, wire::Usage};

use super::{read, stream};

fn usage(wire: Wire, response: &Value) -> [u64; 4] {
    let Usage {
        input,
        output,
        cached,
        reasoning,
        ..
    } = read(wire, response).usage.unwrap();
    [input, output, cached, reasoning]
}

fn chat(usage: &Value) -> [u64; 4] {
    let said = json!({"message": {"role": "assistant", "content": "5"}});
    self::usage(
        Wire::OpenAiChat,
        &json!({"choices": [said], "usage": usage}),
    )
}

#[test]
fn a_chats_output_is_at_least_the_total_without_the_input() {
    let rows = [
        // OpenAI: thoughts are part of the output.
        (
            json!({"prompt_tokens": 10, "completion_tokens": 25, "total_tokens": 35, "prompt_tokens_details": {"cached_tokens": 4}, "completion_tokens_details": {"reasoning_tokens": 20}}),
            [10, 25, 4, 20],
        ),
        // xAI: they are in the details and the total alone.
        (
            json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 35, "completion_tokens_details": {"reasoning_tokens": 20}}),
            [10, 25, 0, 20],
        ),
        // Without a total.
        (
            json!({"prompt_tokens": 10, "completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 20}}),
            [10, 25, 0, 20],
        ),
        (
            json!({"prompt_tokens": 10, "total_tokens": 35}),
            [10, 25, 0, 0],
        ),
        // Beside the counts: DeepSeek's cache, Perplexity's and Together's numbers.
        (
            json!({"prompt_tokens": 10, "completion_tokens": 5, "prompt_cache_hit_tokens": 6, "prompt_cache_miss_tokens": 4}),
            [10, 5, 6, 0],
        ),
        (
            json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15, "cached_tokens": 3, "reasoning_tokens": 2}),
            [10, 5, 3, 2],
        ),
        // Counts that disagree with each other are not the smaller ones.
        (
            json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 3}),
            [10, 5, 0, 0],
        ),
    ];
    for (counts, expected) in rows {
        assert_eq!(chat(&counts), expected, "{counts}");
    }
}

#[test]
fn the_counts_of_a_stream_are_found_where_they_are() {
    let counts = json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15});
    let said = json!({"choices": [{"index": 0, "delta": {"content": "5"}, "finish_reason": null}]});
    let rows = [
        // OpenAI; Groq; Moonshot.
        json!({"choices": [], "usage": counts}),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "x_groq": {"id": "r", "usage": counts}}),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "usage": counts}]}),
    ];
    for row in rows {
        let (_, streamed) = stream(Wire::OpenAiChat, &[said.clone(), row.clone()]);
        let usage = Wire::OpenAiChat
            .completion(&streamed.response)
            .unwrap()
            .usage
            .unwrap();
        assert_eq!((usage.input, usage.output), (10, 5), "{row}");
    }
    // A later one may lack what an earlier one had.
    let (_, streamed) = stream(
        Wire::OpenAiChat,
        &[
            json!({"choices": [], "usage": counts}),
            said,
            json!({"choices": [], "usage": null}),
        ],
    );
    assert!(
        Wire::OpenAiChat
            .completion(&streamed.response)
            .unwrap()
            .usage
            .is_some()
    );
}

#[test]
fn other_wires_count_all_that_was_paid_for() {
    let anthropic =
        |usage: Value| self::usage(Wire::Anthropic, &json!({"content": [], "usage": usage}));
    assert_eq!(
        anthropic(
            json!({"input_tokens": 3, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20, "output_tokens": 9})
        ),
        [123, 9, 100, 0]
    );
    // A compaction is paid for beside the message: the counts at the top are of the last step.
    let steps = json!([
        {"type": "compaction", "input_tokens": 1000, "output_tokens": 50, "cache_read_input_tokens": 7},
        {"type": "message", "input_tokens": 30, "output_tokens": 9},
    ]);
    assert_eq!(
        anthropic(json!({"input_tokens": 30, "output_tokens": 9, "iterations": steps})),
        [1037, 59, 7, 0]
    );
    assert_eq!(
        anthropic(json!({"input_tokens": 30, "output_tokens": 9, "iterations": null})),
        [30, 9, 0, 0]
    );
    let gemini = |usage: Value| {
        self::usage(
            Wire::Gemini,
            &json!({"candidates": [{"content": {"parts": [{"text": "5"}]}}], "usageMetadata": usage}),
        )
    };
    assert_eq!(
        gemini(
            json!({"promptTokenCount": 10, "candidatesTokenCount": 5, "thoughtsTokenCount": 20, "cachedContentTokenCount": 4, "totalTokenCount": 35})
        ),
        [10, 25, 4, 20]
    );
    assert_eq!(
        gemini(json!({"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 40})),
        [10, 30, 0, 0]
    );
    let responses = json!({"status": "completed", "output": [], "usage": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 35,
        "input_tokens_details": {"cached_tokens": 4}, "output_tokens_details": {"reasoning_tokens": 20}}});
    assert_eq!(usage(Wire::OpenAiResponses, &responses), [10, 25, 4, 20]);
    let bedrock = json!({"output": {"message": {"role": "assistant", "content": []}}, "usage": {"inputTokens": 10, "cacheReadInputTokens": 4, "cacheWriteInputTokens": 3, "outputTokens": 5, "totalTokens": 22}});
    assert_eq!(usage(Wire::BedrockConverse, &bedrock), [17, 5, 4, 0]);
    let ollama = json!({"message": {"role": "assistant", "content": "5"}, "done": true, "prompt_eval_count": 10, "eval_count": 5});
    assert_eq!(usage(Wire::Ollama, &ollama), [10, 5, 0, 0]);
}
