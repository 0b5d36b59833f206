//! A provider's own tools: never calls of ours, and kept with what they did.

use serde_json::{Value, json};
use toolwright::{
    Encoder, Outcome, ToolCall, ToolError, ToolResult, Wire,
    wire::{HostedCall, StreamEvent},
};

use super::{hosted, read, stream};
use crate::wires::parsed;

fn seen(call: &HostedCall) -> [&str; 4] {
    [&call.id, &call.kind, &call.name, &call.status]
}

type Row = (Wire, Value, [&'static str; 4], Option<Value>);

/// A response with one call of the provider's tool and one of ours: the wire, the response, what is seen, and the result.
fn block_rows() -> Vec<Row> {
    let found = json!([{"type": "web_search_result", "url": "https://a.example"}]);
    let failed = json!({"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"});
    let anthropic = |kind: &str, result: Value| {
        json!({"role": "assistant", "content": [
            {"type": kind, "id": "s", "name": "web_search", "input": {"query": "a"}},
            result,
            {"type": "tool_use", "id": "c", "name": "now", "input": {}},
        ]})
    };
    vec![
        (
            Wire::Anthropic,
            anthropic(
                "server_tool_use",
                json!({"type": "web_search_tool_result", "tool_use_id": "s", "content": found}),
            ),
            ["s", "server_tool_use", "web_search", "completed"],
            Some(found.clone()),
        ),
        (
            Wire::Anthropic,
            anthropic(
                "mcp_tool_use",
                json!({"type": "mcp_tool_result", "tool_use_id": "s", "is_error": true, "content": []}),
            ),
            ["s", "mcp_tool_use", "web_search", "failed"],
            Some(json!([])),
        ),
        (
            Wire::Anthropic,
            anthropic(
                "server_tool_use",
                json!({"type": "web_search_tool_result", "tool_use_id": "s", "content": failed}),
            ),
            ["s", "server_tool_use", "web_search", "failed"],
            Some(failed),
        ),
        (
            Wire::BedrockConverse,
            json!({"output": {"message": {"role": "assistant", "content": [
                {"toolUse": {"toolUseId": "s", "name": "nova_grounding", "input": {}, "type": "server_tool_use"}},
                {"toolResult": {"toolUseId": "s", "status": "success", "content": [{"text": "a"}]}},
                {"toolUse": {"toolUseId": "c", "name": "now", "input": {}}},
            ]}}}),
            ["s", "server_tool_use", "nova_grounding", "success"],
            Some(json!([{"text": "a"}])),
        ),
    ]
}

fn other_rows() -> Vec<Row> {
    let responses = |item: Value| {
        json!({"status": "completed", "output": [
            item,
            {"type": "function_call", "id": "f", "call_id": "c", "name": "now", "arguments": "{}"},
        ]})
    };
    let gemini = |call: Value, result: Value| {
        json!({"candidates": [{"content": {"role": "model", "parts": [
            call, result, {"functionCall": {"id": "c", "name": "now", "args": {}}},
        ]}}]})
    };
    vec![
        (
            Wire::OpenAiResponses,
            responses(
                json!({"type": "web_search_call", "id": "s", "status": "completed", "action": {"type": "search"}}),
            ),
            ["s", "web_search_call", "web_search", "completed"],
            None,
        ),
        (
            Wire::OpenAiResponses,
            responses(
                json!({"type": "mcp_call", "id": "s", "name": "roll", "server_label": "dice", "arguments": "{}", "output": "5"}),
            ),
            ["s", "mcp_call", "roll", ""],
            None,
        ),
        (
            Wire::Gemini,
            gemini(
                json!({"toolCall": {"id": "s", "toolType": "GOOGLE_SEARCH_WEB"}, "thoughtSignature": "t"}),
                json!({"toolResponse": {"id": "s", "response": {"a": 1}}}),
            ),
            ["s", "toolCall", "GOOGLE_SEARCH_WEB", ""],
            Some(json!({"id": "s", "response": {"a": 1}})),
        ),
        (
            Wire::Gemini,
            gemini(
                json!({"executableCode": {"language": "PYTHON", "code": "1"}}),
                json!({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}),
            ),
            ["", "executableCode", "code_execution", "OUTCOME_OK"],
            Some(json!({"outcome": "OUTCOME_OK", "output": "1"})),
        ),
        (
            Wire::OpenAiChat,
            json!({"choices": [{"message": {"role": "assistant", "content": null,
                "executed_tools": [{"index": 0, "type": "search", "arguments": "{}", "output": "a"}],
                "tool_calls": [{"id": "c", "type": "function", "function": {"name": "now", "arguments": "{}"}}]}}]}),
            ["", "executed_tools", "search", ""],
            Some(json!("a")),
        ),
    ]
}

#[test]
fn calls_that_the_provider_runs_are_not_ours() {
    for (wire, response, expected, result) in block_rows().into_iter().chain(other_rows()) {
        let said = read(wire, &response);
        let [call] = &said.hosted[..] else {
            panic!("{wire:?}: {:?}", said.hosted);
        };
        assert_eq!(seen(call), expected, "{wire:?}");
        assert_eq!(call.result.as_deref().map(parsed), result, "{wire:?}");
        assert!(call.call.starts_with('{'));
        assert!(!format!("{call:?}").contains(&call.call));
        let ours: Vec<_> = said
            .calls
            .iter()
            .map(|call| (&*call.id, &*call.name))
            .collect();
        assert_eq!(ours, [("c", "now")], "{wire:?}");
        let back: HostedCall = serde_json::from_str(&serde_json::to_string(call).unwrap()).unwrap();
        assert_eq!(&back, call);
        // All of it goes back.
        let kept = &said.messages.concat();
        assert!(
            [
                "server_tool_use",
                "mcp_tool_use",
                "web_search_call",
                "mcp_call",
                "toolCall",
                "executableCode",
                "executed_tools"
            ]
            .iter()
            .any(|kind| kept.contains(kind)),
            "{wire:?}: {kept}"
        );
    }
}

type StreamRow = (Wire, Vec<Value>, [&'static str; 4], Option<&'static str>);

/// Streams with one call of the provider's tool and one of ours: the wire, the events, what is seen, and the result.
fn streamed_rows() -> Vec<StreamRow> {
    let begin = |index: u8, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let stop = |index: u8| json!({"type": "content_block_stop", "index": index});
    vec![
        (
            Wire::Anthropic,
            vec![
                json!({"type": "message_start", "message": {"role": "assistant", "content": []}}),
                begin(
                    0,
                    json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}),
                ),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{\"query\":\"a\"}"}}),
                stop(0),
                begin(
                    1,
                    json!({"type": "web_search_tool_result", "tool_use_id": "s", "content": []}),
                ),
                stop(1),
                begin(
                    2,
                    json!({"type": "tool_use", "id": "c", "name": "now", "input": {}}),
                ),
                stop(2),
                json!({"type": "message_stop"}),
            ],
            ["s", "server_tool_use", "web_search", "completed"],
            Some("[]"),
        ),
        (
            Wire::BedrockConverse,
            vec![
                json!({"messageStart": {"role": "assistant"}}),
                json!({"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "s", "name": "nova_grounding", "type": "server_tool_use"}}}}),
                json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": "{}"}}}}),
                json!({"contentBlockStop": {"contentBlockIndex": 0}}),
                json!({"contentBlockStart": {"contentBlockIndex": 1, "start": {"toolResult": {"toolUseId": "s", "type": "nova_grounding_result", "status": "success"}}}}),
                json!({"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolResult": [{"json": {"a": 1}}]}}}),
                json!({"contentBlockStop": {"contentBlockIndex": 1}}),
                json!({"contentBlockStart": {"contentBlockIndex": 2, "start": {"toolUse": {"toolUseId": "c", "name": "now"}}}}),
                json!({"contentBlockDelta": {"contentBlockIndex": 2, "delta": {"toolUse": {"input": "{}"}}}}),
                json!({"messageStop": {"stopReason": "tool_use"}}),
            ],
            ["s", "server_tool_use", "nova_grounding", "success"],
            Some("[{\"json\":{\"a\":1}}]"),
        ),
    ]
}

fn other_streamed_rows() -> Vec<StreamRow> {
    let item = |kind: &str, index: u8, item: Value| json!({"type": format!("response.output_item.{kind}"), "output_index": index, "item": item});
    let parts =
        |part: Value| json!({"candidates": [{"content": {"role": "model", "parts": [part]}}]});
    let chat = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    vec![
        (
            Wire::OpenAiResponses,
            vec![
                json!({"type": "response.created", "response": {"output": []}}),
                item(
                    "added",
                    0,
                    json!({"type": "web_search_call", "id": "s", "status": "in_progress"}),
                ),
                json!({"type": "response.web_search_call.searching", "output_index": 0, "item_id": "s"}),
                item(
                    "done",
                    0,
                    json!({"type": "web_search_call", "id": "s", "status": "completed", "action": {"type": "search"}}),
                ),
                item(
                    "done",
                    1,
                    json!({"type": "function_call", "id": "f", "call_id": "c", "name": "now", "arguments": "{}"}),
                ),
                json!({"type": "response.completed", "response": {"status": "completed", "output": []}}),
            ],
            ["s", "web_search_call", "web_search", "completed"],
            None,
        ),
        (
            Wire::Gemini,
            vec![
                parts(json!({"executableCode": {"language": "PYTHON", "code": "1"}})),
                parts(json!({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}})),
                parts(json!({"functionCall": {"id": "c", "name": "now", "args": {}}})),
                json!({"candidates": [{"finishReason": "STOP"}]}),
            ],
            ["", "executableCode", "code_execution", "OUTCOME_OK"],
            Some("{\"outcome\":\"OUTCOME_OK\",\"output\":\"1\"}"),
        ),
        (
            Wire::OpenAiChat,
            vec![
                chat(
                    json!({"role": "assistant", "executed_tools": [{"index": 0, "type": "search", "arguments": "{}"}]}),
                ),
                chat(json!({"executed_tools": [{"index": 0, "type": "search", "output": "a"}]})),
                chat(
                    json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "now", "arguments": "{}"}}]}),
                ),
                json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
            ],
            ["", "executed_tools", "search", ""],
            Some("\"a\""),
        ),
    ]
}

#[test]
fn calls_that_the_provider_runs_are_not_ours_in_a_stream() {
    for (wire, events, expected, result) in streamed_rows().into_iter().chain(other_streamed_rows())
    {
        let (told, streamed) = stream(wire, &events);
        let said = wire.completion(&streamed.response).unwrap();
        assert_eq!(
            said.hosted.iter().map(seen).collect::<Vec<_>>(),
            [expected],
            "{wire:?}: {}",
            streamed.response
        );
        assert_eq!(said.hosted[0].result.as_deref(), result);
        let begun = told
            .iter()
            .filter(|event| matches!(event, StreamEvent::Call { .. }))
            .count();
        assert_eq!((begun, said.calls.len()), (1, 1), "{wire:?}");
        assert!(!format!("{told:?}").contains(&said.hosted[0].call));
    }
}

/// Listeners receive what the provider's own tools do when it has come: the events say what a response has that breaks off
/// after any of them.
#[test]
fn the_events_of_hosted_calls_say_what_the_response_has_wherever_it_is_cut() {
    for (wire, events, ..) in streamed_rows().into_iter().chain(other_streamed_rows()) {
        for cut in 1..=events.len() {
            let (told, streamed) = stream(wire, &events[..cut]);
            let said = wire.completion(&streamed.response).unwrap();
            assert_eq!(hosted(&told), said.hosted, "{wire:?} after {cut}");
            let is_call = |event: &StreamEvent| matches!(event, StreamEvent::Call { name, .. } if name == "now");
            let call = told.iter().position(is_call);
            let last = told
                .iter()
                .rposition(|event| matches!(event, StreamEvent::Hosted { .. }));
            assert!(call.is_none() || last < call, "{wire:?}: sent at once");
        }
        // Without the ends of blocks and items, the end of the response says that they are whole.
        let is_stop = |event: &Value| {
            let text = event.to_string();
            ["content_block_stop", "contentBlockStop"]
                .iter()
                .any(|kind| text.contains(kind))
                || (event["type"] == "response.output_item.done" && event["output_index"] == 0)
        };
        let events: Vec<_> = events.into_iter().filter(|event| !is_stop(event)).collect();
        let (told, streamed) = stream(wire, &events);
        let said = wire.completion(&streamed.response).unwrap();
        assert_eq!((hosted(&told).len(), said.hosted.len()), (1, 1), "{wire:?}");
        assert_eq!(hosted(&told), said.hosted, "{wire:?}");
    }
    // The whole response at the end may be all that comes, or have more than the items before it.
    let done = json!({"type": "web_search_call", "id": "s", "status": "completed"});
    let code = json!({"type": "code_interpreter_call", "id": "k", "status": "completed"});
    let item = json!({"type": "response.output_item.done", "output_index": 0, "item": done});
    let end = json!({"type": "response.completed", "response": {"status": "completed", "output": [done, code]}});
    for events in [
        vec![end.clone()],
        vec![item, end.clone()],
        vec![end.clone(), end],
    ] {
        let (told, streamed) = stream(Wire::OpenAiResponses, &events);
        let said = Wire::OpenAiResponses
            .completion(&streamed.response)
            .unwrap();
        assert_eq!((hosted(&told).len(), hosted(&told)), (2, said.hosted));
        let events = told
            .iter()
            .filter(|event| matches!(event, StreamEvent::Hosted { .. }));
        assert_eq!(events.count(), 2);
    }
}

/// The provider asks whether it may call a tool of a remote server.
#[test]
fn a_request_for_an_approval_waits_like_a_call() {
    let item = json!({"type": "mcp_approval_request", "id": "mcpr_1", "name": "roll", "server_label": "dice", "arguments": "{\"n\":1}"});
    let response = json!({"status": "completed", "output": [item]});
    let events = [
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": {"status": "completed", "output": []}}),
    ];
    let (_, streamed) = stream(Wire::OpenAiResponses, &events);
    for response in [response, parsed(&streamed.response)] {
        let said = read(Wire::OpenAiResponses, &response);
        let call = ToolCall::new("mcpr_1", "mcp_approval_request", "{\"n\":1}");
        assert_eq!(said.calls, std::slice::from_ref(&call));
        assert_eq!(
            seen(&said.hosted[0]),
            ["mcpr_1", "mcp_approval_request", "roll", ""]
        );
        let messages: Vec<_> = said.messages.iter().map(|item| parsed(item)).collect();
        assert_eq!(messages, std::slice::from_ref(&item));
        let rows = [
            (Ok(Outcome::value(true)), json!({"approve": true})),
            (
                Ok(Outcome::value(false)),
                json!({"approve": false, "reason": "false"}),
            ),
            (
                Err(ToolError::failed("no")),
                json!({"approve": false, "reason": "no"}),
            ),
        ];
        for (outcome, expected) in rows {
            let results = [ToolResult::new(&call, outcome)];
            let mut answer =
                parsed(&Wire::OpenAiResponses.results(&results, Encoder::auto()))[0].clone();
            let fixed = ["type", "approval_request_id"]
                .map(|key| answer.as_object_mut().unwrap().remove(key).unwrap());
            assert_eq!(fixed, [json!("mcp_approval_response"), json!("mcpr_1")]);
            assert_eq!(answer, expected);
        }
    }
}
