//! Tools whose names a provider does not take: it is told another name, and nobody else is.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::{
    Context, Dialect, Encoder, Outcome, Tool, ToolDef, Toolset, Wire,
    call::{Answer, Call},
    wire::{Definitions, Parallel, StreamEvent, ToolChoiceError},
};

use crate::wires::parsed;

/// A tool of a server that takes any name.
struct Foreign(ToolDef);

impl Tool for Foreign {
    fn def(&self) -> &ToolDef {
        &self.0
    }

    fn call<'a>(&'a self, _: Call<'a>) -> Answer<'a> {
        Answer::Ready(Ok(Outcome::value(format!("done by {}", self.0.name))))
    }
}

/// No provider takes the first name, and the second is the one that is nearest to it.
const OWN: &str = "files/list";
const NEAREST: &str = "files_list";

fn tools() -> Toolset {
    let tool = |name| Arc::new(Foreign(ToolDef::new(name, "Lists."))) as Arc<dyn Tool>;
    Toolset::new([tool(OWN), tool(NEAREST)]).unwrap()
}

const WIRES: [(Wire, Dialect); 8] = [
    (Wire::OpenAiChat, Dialect::OpenAiStrict),
    (Wire::OpenAiResponses, Dialect::OpenAiNonStrict),
    (Wire::Anthropic, Dialect::AnthropicStrict),
    (Wire::Gemini, Dialect::GeminiJson),
    (Wire::Ollama, Dialect::Ollama),
    (Wire::BedrockConverse, Dialect::Bedrock),
    (Wire::Mcp, Dialect::Mcp20251125),
    (Wire::Mcp2026, Dialect::Mcp20260728),
];

/// A response with one call of this name.
fn response(wire: Wire, name: &str) -> String {
    let response = match wire {
        Wire::OpenAiChat => json!({"choices": [{"message": {"role": "assistant", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": name, "arguments": "{}"}}
        ]}}]}),
        Wire::OpenAiResponses => json!({"output": [
            {"type": "function_call", "id": "f1", "call_id": "c1", "name": name, "arguments": "{}"}
        ]}),
        Wire::Anthropic => json!({"role": "assistant", "content": [
            {"type": "tool_use", "id": "c1", "name": name, "input": {}}
        ]}),
        Wire::Gemini => json!({"candidates": [{"content": {"role": "model", "parts": [
            {"functionCall": {"id": "c1", "name": name, "args": {}}}
        ]}}]}),
        Wire::Ollama => json!({"message": {"role": "assistant", "content": "", "tool_calls": [
            {"id": "c1", "function": {"name": name, "arguments": {}}}
        ]}}),
        Wire::BedrockConverse => json!({"output": {"message": {"role": "assistant", "content": [
            {"toolUse": {"toolUseId": "c1", "name": name, "input": {}}}
        ]}}}),
        Wire::Mcp | Wire::Mcp2026 => json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": {}}
        }),
        _ => panic!("a wire that nobody wrote a response for"),
    };
    response.to_string()
}

fn sent(wire: Wire, dialect: Dialect) -> (Definitions, String) {
    let sent = wire.definitions_in(&tools(), dialect).unwrap();
    let told = sent.renames().to_provider(OWN).unwrap().to_owned();
    assert!(dialect.accepts_name(&told), "{told}");
    assert_ne!(told, NEAREST);
    (sent, told)
}

/// Every string of a JSON value that is one of the tools' names, or what became of it.
fn names(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text.starts_with("files") => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| names(item, found)),
        Value::Object(entries) => entries.values().for_each(|value| names(value, found)),
        _ => {}
    }
}

fn names_of(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    names(&parsed(text), &mut found);
    found
}

#[test]
fn definitions_have_the_names_that_the_provider_takes() {
    for (wire, dialect) in WIRES {
        let (sent, told) = sent(wire, dialect);
        assert_eq!(names_of(&sent.text()), [told.as_str(), NEAREST], "{wire:?}");
        assert_eq!(
            sent.renames().changed().collect::<Vec<_>>(),
            [(OWN, told.as_str())]
        );
    }
}

#[test]
fn a_call_goes_by_the_tools_own_name() {
    for (wire, dialect) in WIRES {
        let (sent, told) = sent(wire, dialect);
        for (name, own) in [(told.as_str(), OWN), (NEAREST, NEAREST), ("files", "files")] {
            let calls = sent.calls(&response(wire, name)).unwrap();
            assert_eq!(&*calls[0].name, own, "{wire:?}");
        }
        let calls = sent.calls(&response(wire, &told)).unwrap();
        let result = tools().call_blocking(&calls[0], &Context::new());
        assert_eq!(result.content(Encoder::auto()), format!("done by {OWN}"));
    }
}

#[test]
fn what_the_next_request_repeats_has_the_names_that_the_provider_knows() {
    for (wire, dialect) in WIRES {
        let (sent, told) = sent(wire, dialect);
        let response = response(wire, &told);
        let calls = sent.calls(&response).unwrap();
        let results = [tools().call_blocking(&calls[0], &Context::new())];
        let turn = sent.turn(&response, &results, Encoder::auto()).unwrap();
        // MCP's answers go by the request's id alone; elsewhere the message with the call has the
        // name, and some answers have it too.
        let expected = match wire {
            Wire::Mcp | Wire::Mcp2026 => 0,
            Wire::Gemini | Wire::Ollama => 2,
            _ => 1,
        };
        assert_eq!(names_of(&turn), vec![told.as_str(); expected], "{wire:?}");
        let answers = names_of(&sent.results(&results, Encoder::auto()));
        let expected = usize::from(matches!(wire, Wire::Gemini | Wire::Ollama));
        assert_eq!(answers, vec![told.as_str(); expected], "{wire:?}");
    }
}

#[test]
fn a_specific_tool_is_asked_for_by_its_own_name() {
    for (wire, dialect) in WIRES {
        let (sent, told) = sent(wire, dialect);
        match sent.tool_choice(&OWN.into()) {
            Ok(choice) => {
                assert_eq!(names_of(&choice), [told.as_str()], "{wire:?}");
                let request = sent.request(&OWN.into(), Parallel::Allowed).unwrap();
                let expected = [told.as_str(), NEAREST, told.as_str()];
                let mut names = names_of(&request);
                names.sort();
                let mut expected = expected.map(str::to_owned).to_vec();
                expected.sort();
                assert_eq!(names, expected, "{wire:?}");
            }
            Err(error) => {
                // The error, too, speaks of the tool's own name.
                assert!(
                    matches!(wire, Wire::Ollama | Wire::Mcp | Wire::Mcp2026),
                    "{wire:?}"
                );
                assert!(error.to_string().contains(OWN), "{error}");
            }
        }
        // The name that a provider gets is not a name of the tool here.
        let unknown = sent.tool_choice(&told.as_str().into()).unwrap_err();
        assert!(
            matches!(unknown, ToolChoiceError::Unknown { .. }),
            "{wire:?}"
        );
    }
}

#[test]
fn a_stream_tells_of_calls_by_their_tools_own_names() {
    let (sent, told) = sent(Wire::OpenAiChat, Dialect::OpenAiStrict);
    let piece = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]}).to_string();
    let mut stream = sent.accumulator();
    let call = |index: u8, id: &str, arguments: &str| {
        piece(json!({"tool_calls": [
            {"index": index, "id": id, "function": {"name": told, "arguments": arguments}}
        ]}))
    };
    let begun = stream.push(&call(0, "c1", "{}")).unwrap();
    let event = StreamEvent::Call {
        place: 0,
        name: OWN.into(),
    };
    assert!(begun.contains(&event), "{begun:?}");
    let streamed = stream.finish().unwrap();
    let unfinished = streamed
        .unfinished
        .first()
        .map(|call| call.name.to_string());
    let finished = sent.calls(&streamed.response);
    let finished = finished
        .ok()
        .and_then(|calls| calls.first().map(|call| call.name.to_string()));
    assert_eq!(unfinished.or(finished).as_deref(), Some(OWN));

    let mut stream = sent.accumulator();
    stream.push(&call(0, "c1", "{}")).unwrap();
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]});
    stream.push(&end.to_string()).unwrap();
    stream.push("data: [DONE]").unwrap();
    let streamed = stream.finish().unwrap();
    assert!(streamed.response.contains(&told));
    assert_eq!(&*sent.calls(&streamed.response).unwrap()[0].name, OWN);
}
