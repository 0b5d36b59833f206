//! Conversations as the messages of a request, on every wire.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::{Value, json};
use toolwright::{
    Dialect, DynTool, Encoder, Outcome, ToolCall, ToolDef, ToolError, ToolResult, Toolset, Wire,
    wire::Message,
};

use crate::wires::{parsed, sample};

fn members(wire: Wire, system: Option<&str>, said: &[Message<'_>]) -> Value {
    parsed(&wire.conversation(system, said, Encoder::auto()).unwrap())
}

/// A question, a call, its answer, and words.
fn conversation(wire: Wire) -> Value {
    let calls = [ToolCall::new("c1", "add", r#"{"a": 2, "b": 3}"#)];
    let results = [ToolResult::new(&calls[0], Ok(Outcome::value(5)))];
    let said = [
        Message::User("What is 2 + 3?"),
        Message::Assistant {
            text: "Let me see.",
            calls: &calls,
        },
        Message::Results(&results),
        Message::Assistant {
            text: "It is 5.",
            calls: &[],
        },
    ];
    members(wire, Some("Add."), &said)
}

#[test]
fn openai_chat() {
    assert_eq!(
        conversation(Wire::OpenAiChat),
        json!({"messages": [
            {"role": "system", "content": "Add."},
            {"role": "user", "content": "What is 2 + 3?"},
            {"role": "assistant", "content": "Let me see.", "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{\"a\": 2, \"b\": 3}"}}
            ]},
            {"role": "tool", "tool_call_id": "c1", "content": "5"},
            {"role": "assistant", "content": "It is 5."},
        ]})
    );
}

#[test]
fn openai_responses() {
    assert_eq!(
        conversation(Wire::OpenAiResponses),
        json!({"instructions": "Add.", "input": [
            {"role": "user", "content": "What is 2 + 3?"},
            {"role": "assistant", "content": "Let me see."},
            {"type": "function_call", "call_id": "c1", "name": "add", "arguments": "{\"a\": 2, \"b\": 3}"},
            {"type": "function_call_output", "call_id": "c1", "output": "5"},
            {"role": "assistant", "content": "It is 5."},
        ]})
    );
}

#[test]
fn anthropic() {
    assert_eq!(
        conversation(Wire::Anthropic),
        json!({"system": "Add.", "messages": [
            {"role": "user", "content": [{"type": "text", "text": "What is 2 + 3?"}]},
            {"role": "assistant", "content": [
                {"type": "text", "text": "Let me see."},
                {"type": "tool_use", "id": "c1", "name": "add", "input": {"a": 2, "b": 3}},
            ]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "5"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "It is 5."}]},
        ]})
    );
}

#[test]
fn gemini() {
    assert_eq!(
        conversation(Wire::Gemini),
        json!({"systemInstruction": {"parts": [{"text": "Add."}]}, "contents": [
            {"role": "user", "parts": [{"text": "What is 2 + 3?"}]},
            {"role": "model", "parts": [
                {"text": "Let me see."},
                {"functionCall": {"id": "c1", "name": "add", "args": {"a": 2, "b": 3}},
                    "thoughtSignature": "skip_thought_signature_validator"},
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "c1", "name": "add", "response": {"output": 5}}},
            ]},
            {"role": "model", "parts": [{"text": "It is 5."}]},
        ]})
    );
}

#[test]
fn ollama() {
    assert_eq!(
        conversation(Wire::Ollama),
        json!({"messages": [
            {"role": "system", "content": "Add."},
            {"role": "user", "content": "What is 2 + 3?"},
            {"role": "assistant", "content": "Let me see.", "tool_calls": [
                {"id": "c1", "function": {"name": "add", "arguments": {"a": 2, "b": 3}}}
            ]},
            {"role": "tool", "tool_name": "add", "tool_call_id": "c1", "content": "5"},
            {"role": "assistant", "content": "It is 5."},
        ]})
    );
}

#[test]
fn bedrock() {
    assert_eq!(
        conversation(Wire::BedrockConverse),
        json!({"system": [{"text": "Add."}], "messages": [
            {"role": "user", "content": [{"text": "What is 2 + 3?"}]},
            {"role": "assistant", "content": [
                {"text": "Let me see."},
                {"toolUse": {"toolUseId": "c1", "name": "add", "input": {"a": 2, "b": 3}}},
            ]},
            {"role": "user", "content": [
                {"toolResult": {"toolUseId": "c1", "content": [{"text": "5"}]}},
            ]},
            {"role": "assistant", "content": [{"text": "It is 5."}]},
        ]})
    );
}

#[test]
fn mcp_has_none() {
    for wire in [Wire::Mcp, Wire::Mcp2026] {
        assert!(wire.conversation(None, &[], Encoder::auto()).is_err());
    }
}

#[test]
fn what_the_provider_wrote_goes_back_byte_by_byte() {
    let samples = [
        (Wire::OpenAiChat, "openai_chat.json"),
        (Wire::OpenAiResponses, "openai_responses.json"),
        (Wire::Anthropic, "anthropic.json"),
        (Wire::Gemini, "gemini.json"),
        (Wire::Ollama, "ollama.json"),
        (Wire::BedrockConverse, "bedrock.json"),
    ];
    for (wire, file) in samples {
        let native = wire.completion(&sample(file)).unwrap().messages;
        assert!(!native.is_empty());
        let said = [Message::User("Hi!"), Message::Echo(&native)];
        let members = wire.conversation(None, &said, Encoder::auto()).unwrap();
        for message in &native {
            assert!(members.contains(message.as_str()), "{wire:?}: {members}");
        }
    }
}

#[test]
fn roles_alternate_where_the_provider_wants_it() {
    let native = [
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":"?","signature":"S"}]}"#
            .to_owned(),
    ];
    let calls = [ToolCall::new("c1", "add", "{}")];
    let results = [ToolResult::new(&calls[0], Err(ToolError::failed("no")))];
    let said = [
        Message::User("One."),
        Message::User("Two."),
        Message::Echo(&native),
        Message::Assistant {
            text: "",
            calls: &calls,
        },
        Message::Results(&results),
        Message::Assistant {
            text: "",
            calls: &[],
        },
        Message::User("Three."),
        Message::User(" "),
    ];
    assert_eq!(
        members(Wire::Anthropic, None, &said),
        json!({"messages": [
            {"role": "user", "content": [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "?", "signature": "S"},
                {"type": "tool_use", "id": "c1", "name": "add", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "no", "is_error": true},
                {"type": "text", "text": "Three."},
            ]},
        ]})
    );
    let bedrock = members(Wire::BedrockConverse, None, &said[..2]);
    assert_eq!(
        bedrock["messages"],
        json!([{"role": "user", "content": [{"text": "One."}, {"text": "Two."}]}])
    );
    // Elsewhere each stays a message.
    assert_eq!(
        members(Wire::OpenAiChat, None, &said[..2])["messages"],
        json!([{"role": "user", "content": "One."}, {"role": "user", "content": "Two."}])
    );
    // A content without parts is refused.
    let silence = Message::Assistant {
        text: "",
        calls: &[],
    };
    let gemini = members(Wire::Gemini, None, &[Message::User("One."), silence]);
    assert_eq!(gemini["contents"].as_array().unwrap().len(), 1);
}

#[test]
fn arguments_that_are_no_object_become_one_where_nothing_else_is_taken() {
    let calls = [
        ToolCall::new("c1", "add", "{\"a\": "),
        ToolCall::new("c2", "add", ""),
        ToolCall::new("c3", "add", "[1]"),
    ];
    let said = [Message::Assistant {
        text: "",
        calls: &calls,
    }];
    let anthropic = members(Wire::Anthropic, None, &said);
    let inputs = anthropic["messages"][0]["content"]
        .as_array()
        .unwrap()
        .iter();
    let inputs: Vec<_> = inputs.map(|block| block["input"].clone()).collect();
    assert_eq!(
        inputs,
        [
            json!({"INVALID_JSON": "{\"a\": "}),
            json!({}),
            json!({"INVALID_JSON": "[1]"})
        ]
    );
    let chat = members(Wire::OpenAiChat, None, &said);
    let first = &chat["messages"][0]["tool_calls"][0]["function"]["arguments"];
    assert_eq!(first, "{\"a\": ");
}

#[test]
fn calls_and_answers_go_by_the_providers_names() {
    let def = ToolDef::new("files.list", "Lists files.");
    let tools = Toolset::new([DynTool::declare(def)]).unwrap();
    let calls = [ToolCall::new("c1", "files.list", "{}")];
    let results = [ToolResult::new(&calls[0], Ok(Outcome::value("a.md")))];
    let said = [
        Message::Assistant {
            text: "",
            calls: &calls,
        },
        Message::Results(&results),
    ];
    let sent = Wire::Ollama
        .definitions_in(&tools, Dialect::OpenAiStrict)
        .unwrap();
    let members = sent.conversation(None, &said, Encoder::auto()).unwrap();
    let messages = parsed(&members)["messages"].clone();
    assert_eq!(
        messages[0]["tool_calls"][0]["function"]["name"],
        "files_list"
    );
    assert_eq!(messages[1]["tool_name"], "files_list");
}
