//! What the tests of all wires share: tools, and samples of what providers send.
// Each test takes what it needs; one that finds less than it expects has failed.
#![allow(dead_code, clippy::unwrap_used)]

pub(crate) mod pieces;

use std::fs;
use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};
use toolwright::{
    Context, Encoder, Outcome, Schema, ToolCall, ToolError, ToolResult, Toolset, Wire,
    call::{Block, Content},
    tool, tools,
};

#[derive(Serialize, Schema)]
struct Weather {
    city: String,
    days: u8,
}

/// Weather of a city.
#[tool(title = "Forecast", read_only, open_world = false)]
fn weather(city: &str, #[arg(default = 1)] days: u8) -> Weather {
    let city = city.to_owned();
    Weather { city, days }
}

/// The time.
#[tool]
fn now() -> &'static str {
    "12:00"
}

pub(crate) fn set() -> Toolset {
    tools![weather, now]
}

/// What a provider sent: a file beside this one.
pub(crate) fn sample(name: &str) -> String {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/wires")).join(name);
    fs::read_to_string(path).unwrap()
}

pub(crate) fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

pub(crate) fn answers(wire: Wire, response: &str) -> Vec<ToolResult> {
    let tools = set();
    let calls = wire.calls(response).unwrap();
    calls
        .iter()
        .map(|call| tools.call_blocking(call, &Context::new()))
        .collect()
}

/// The next request's messages, after the tools here have answered.
pub(crate) fn turn(wire: Wire, response: &str) -> Value {
    let results = answers(wire, response);
    parsed(&wire.turn(response, &results, Encoder::auto()).unwrap())
}

/// The schema of the arguments of `weather`.
pub(crate) fn weather_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "minimum": 0, "maximum": 255, "default": 1},
        },
        "required": ["city"],
        "additionalProperties": false,
    })
}

/// The schema of a tool without arguments.
pub(crate) fn no_arguments() -> Value {
    json!({"type": "object", "properties": {}, "additionalProperties": false})
}

/// The three calls of every sample, by these ids: their arguments as they were written.
pub(crate) fn expected_calls(ids: [&str; 3], second: &str) -> [ToolCall; 3] {
    let [a, b, c] = ids;
    [
        ToolCall::new(a, "weather", r#"{"city": "Zürich", "days": 2.0}"#),
        ToolCall::new(b, "now", second),
        ToolCall::new(c, "wether", r#"{"city":"\ud83c\udfd4 \"Bern\""}"#),
    ]
}

pub(crate) const UNKNOWN: &str = "unknown tool `wether`; did you mean `weather`?";

/// One answer of this outcome, in the wire's form.
pub(crate) fn result(wire: Wire, outcome: Result<Outcome, ToolError>) -> Value {
    let call = ToolCall::new("c1", "x", "{}");
    let results = [ToolResult::new(&call, outcome)];
    parsed(&wire.results(&results, Encoder::auto()))
}

/// One block of each kind.
pub(crate) fn blocks() -> Content {
    Content::text("See:")
        .image("image/png", "AAAA")
        .with(Block::Audio {
            mime_type: "audio/wav".into(),
            data: "BBBB".into(),
        })
        .with(Block::Resource {
            uri: "file:///notes/a.md".into(),
            mime_type: Some("text/markdown".into()),
        })
        .with(Block::Json {
            value: json!({"a": [1]}),
        })
}

/// Texts that are not response of any wire.
pub(crate) const NO_RESPONSES: [&str; 7] = [
    "",
    "nonsense",
    "7",
    "[[]]",
    "{}",
    "{\"error\":{\"message\":\"rate limit\"}}",
    "{\"choices\":null,\"content\":7,\"candidates\":{},\"output\":3,\"message\":[]}",
];

/// A wire refuses all that is not a response, whatever it is asked.
pub(crate) fn refuses_what_is_no_response(wire: Wire) {
    for text in NO_RESPONSES {
        assert!(wire.calls(text).is_err(), "{text}");
        assert!(wire.turn(text, &[], Encoder::auto()).is_err(), "{text}");
    }
}

/// Each definition is read back, and written as it was.
pub(crate) fn definitions_come_back(wire: Wire) {
    for def in set().definitions() {
        let text = wire.definition(def);
        let back = wire.parse_definition(&text).unwrap();
        assert_eq!(
            (&back.name, &back.description),
            (&def.name, &def.description)
        );
        assert_eq!(wire.definition(&back), text);
    }
    for text in [
        "",
        "[]",
        "{}",
        "{\"name\":7}",
        "{\"name\":\"x\",\"parameters\":\"y\",\"inputSchema\":3}",
    ] {
        assert!(wire.parse_definition(text).is_err(), "{wire:?}: {text}");
    }
}
