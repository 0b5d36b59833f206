//! Which tools a model may call, in the words of each provider.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::{Value, json};
use toolwright::{
    Toolset, Wire,
    wire::{Parallel, ToolChoice, ToolChoiceError},
};

use crate::wires::{self, parsed, set};

/// The choices, in the order of the tables below.
fn choices() -> [ToolChoice; 4] {
    [
        ToolChoice::Auto,
        ToolChoice::Required,
        ToolChoice::None,
        "now".into(),
    ]
}

#[test]
fn each_wire_says_the_choice_in_its_words() {
    let gemini = |mode: &str| json!({"functionCallingConfig": {"mode": mode}});
    let table: [(Wire, [Option<Value>; 4]); 8] = [
        (
            Wire::OpenAiChat,
            [
                Some(json!("auto")),
                Some(json!("required")),
                Some(json!("none")),
                Some(json!({"type": "function", "function": {"name": "now"}})),
            ],
        ),
        (
            Wire::OpenAiResponses,
            [
                Some(json!("auto")),
                Some(json!("required")),
                Some(json!("none")),
                Some(json!({"type": "function", "name": "now"})),
            ],
        ),
        (
            Wire::Anthropic,
            [
                Some(json!({"type": "auto"})),
                Some(json!({"type": "any"})),
                Some(json!({"type": "none"})),
                Some(json!({"type": "tool", "name": "now"})),
            ],
        ),
        (
            Wire::Gemini,
            [
                Some(gemini("AUTO")),
                Some(gemini("ANY")),
                Some(gemini("NONE")),
                Some(
                    json!({"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["now"]}}),
                ),
            ],
        ),
        (Wire::Ollama, [None, None, None, None]),
        (
            Wire::BedrockConverse,
            [
                Some(json!({"auto": {}})),
                Some(json!({"any": {}})),
                None,
                Some(json!({"tool": {"name": "now"}})),
            ],
        ),
        (Wire::Mcp, [None, None, None, None]),
        (Wire::Mcp2026, [None, None, None, None]),
    ];
    assert_eq!(table.each_ref().map(|(wire, _)| *wire), Wire::ALL);
    for (wire, expected) in table {
        for (choice, expected) in choices().iter().zip(expected) {
            let value = wire.tool_choice(&set(), choice);
            match expected {
                Some(expected) => {
                    assert_eq!(parsed(&value.unwrap()), expected, "{wire:?} {choice}");
                }
                None => assert_eq!(
                    value.unwrap_err().to_string(),
                    format!("{wire:?} cannot express the tool choice {choice}")
                ),
            }
        }
    }
}

#[test]
fn a_tool_that_is_not_there_is_refused_with_near_names() {
    for wire in Wire::ALL {
        for parallel in [Parallel::Allowed, Parallel::Forbidden] {
            let error = wire
                .request(&set(), &"Wether".into(), parallel)
                .unwrap_err();
            assert_eq!(
                error,
                ToolChoiceError::Unknown {
                    name: "Wether".into(),
                    near: vec!["weather".into()],
                }
            );
            assert_eq!(
                error.to_string(),
                "no tool here is named `Wether`; did you mean `weather`?"
            );
        }
        let error = wire.tool_choice(&set(), &"rocket".into()).unwrap_err();
        assert_eq!(error.to_string(), "no tool here is named `rocket`");
        let error = wire.tool_choice(&Toolset::default(), &ToolChoice::Required);
        assert_eq!(error, Err(ToolChoiceError::NoTools));
    }
}

#[test]
fn a_request_says_all_of_it_where_the_provider_wants_it() {
    let tools = set();
    let request = |wire: Wire, choice: &ToolChoice| {
        let request = wire.request(&tools, choice, Parallel::Allowed);
        request.map(|request| parsed(&request))
    };
    for wire in Wire::ALL {
        let definitions = parsed(&wire.definitions(&tools));
        for choice in choices() {
            let value = wire
                .tool_choice(&tools, &choice)
                .ok()
                .map(|value| parsed(&value));
            let expected = match (wire, &choice, value) {
                (Wire::BedrockConverse, ToolChoice::Auto, _) => {
                    json!({"toolConfig": {"tools": definitions}})
                }
                (Wire::BedrockConverse, _, Some(value)) => {
                    json!({"toolConfig": {"tools": definitions, "toolChoice": value}})
                }
                (Wire::Gemini, _, Some(value)) => {
                    json!({"tools": definitions, "toolConfig": value})
                }
                (_, _, Some(value)) => json!({"tools": definitions, "tool_choice": value}),
                // No word is needed for what happens without one, and none for no tools.
                (_, ToolChoice::Auto, None) => json!({"tools": definitions}),
                (_, ToolChoice::None, None) => json!({}),
                (..) => {
                    assert!(request(wire, &choice).is_err(), "{wire:?} {choice}");
                    continue;
                }
            };
            assert_eq!(
                request(wire, &choice).unwrap(),
                expected,
                "{wire:?} {choice}"
            );
        }
        for choice in [ToolChoice::Auto, ToolChoice::None] {
            let nothing = wire.request(&Toolset::default(), &choice, Parallel::Allowed);
            assert_eq!(nothing.unwrap(), "{}");
        }
    }
}

#[test]
fn one_call_at_most_is_said_where_there_is_a_word_for_it() {
    let tools = set();
    for (wire, choice, member, value) in [
        (
            Wire::OpenAiChat,
            ToolChoice::Auto,
            "parallel_tool_calls",
            json!(false),
        ),
        (
            Wire::OpenAiResponses,
            "now".into(),
            "parallel_tool_calls",
            json!(false),
        ),
        (
            Wire::Anthropic,
            ToolChoice::Required,
            "tool_choice",
            json!({"type": "any", "disable_parallel_tool_use": true}),
        ),
        (
            Wire::Anthropic,
            ToolChoice::None,
            "tool_choice",
            json!({"type": "none"}),
        ),
    ] {
        let request = wire.request(&tools, &choice, Parallel::Forbidden).unwrap();
        assert_eq!(parsed(&request)[member], value, "{wire:?}");
    }
    for wire in [Wire::Gemini, Wire::Ollama, Wire::BedrockConverse, Wire::Mcp] {
        let error = wire.request(&tools, &ToolChoice::Auto, Parallel::Forbidden);
        assert_eq!(
            error.unwrap_err().to_string(),
            format!("{wire:?} cannot express the tool choice `Auto` with at most one call")
        );
        assert!(
            wire.request(&tools, &ToolChoice::None, Parallel::Forbidden)
                .is_ok()
        );
    }
}

/// What every wire sends, for `tests/outside/sdk_types.sh`, which shows it to the providers' own
/// types: the file that `TOOLWRIGHT_SENT` names.
#[test]
fn what_is_sent_is_json() {
    let samples = [
        "openai_chat.json",
        "openai_responses.json",
        "anthropic.json",
        "gemini.json",
        "ollama.json",
        "bedrock.json",
        "mcp.json",
        "mcp.json",
    ];
    let tools = set();
    let mut sent = serde_json::Map::new();
    for (wire, sample) in Wire::ALL.into_iter().zip(samples) {
        let request = |choice| wire.request(&tools, choice, Parallel::Allowed).ok();
        let requests: Vec<Value> = choices()
            .iter()
            .filter_map(request)
            .map(|request| parsed(&request))
            .collect();
        let one_call = wire.request(&tools, &ToolChoice::Required, Parallel::Forbidden);
        let blocks = wires::result(wire, Ok(toolwright::Outcome::Content(wires::blocks())));
        let said = json!({
            "requests": requests,
            "one_call": one_call.ok().map(|request| parsed(&request)),
            "turn": wires::turn(wire, &wires::sample(sample)),
            "blocks": blocks,
        });
        assert!(!requests.is_empty());
        sent.insert(format!("{wire:?}"), said);
    }
    if let Some(file) = std::env::var_os("TOOLWRIGHT_SENT") {
        std::fs::write(file, Value::from(sent).to_string()).unwrap();
    }
}
