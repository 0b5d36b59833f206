//! The loop of a user of async-openai, against a server that answers as `OpenAI` does.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../../fake_provider.rs"]
mod fake_provider;

mod chat;
mod responses;

use std::collections::BTreeMap;

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use serde_json::{Value, json};
use toolwright::call::Content;
use toolwright::{ToolError, Toolset, tool, tools};

use self::fake_provider::FakeProvider;

/// Says how the weather will be.
#[tool]
fn weather(#[arg(range(1..=7))] days: u32, city: &str) -> String {
    format!("{days} days of sun in {city}")
}

/// Opens a door.
#[tool]
fn open(door: &str) -> Result<(), ToolError> {
    Err(ToolError::failed(format!("the {door} door is locked")))
}

/// Draws a chart.
#[tool]
fn chart(bars: &BTreeMap<String, u32>) -> Content {
    let words = format!("{bars:?}");
    Content::text(words).image("image/png", "iVBORw0KGgo=")
}

fn tools() -> Toolset {
    tools![weather, open, chart]
}

fn client(provider: &FakeProvider) -> Client<OpenAIConfig> {
    let config = OpenAIConfig::new()
        .with_api_base(provider.url())
        .with_api_key("key");
    Client::with_config(config)
}

/// Schemas of the tools in strict mode.
fn strict_schemas() -> [Value; 3] {
    let pair = json!({
        "type": "object",
        "properties": {"key": {"type": "string"}, "value": {"type": "integer", "minimum": 0}},
        "required": ["key", "value"],
        "additionalProperties": false,
    });
    [
        json!({
            "type": "object",
            "properties": {
                "days": {"type": "integer", "minimum": 1, "maximum": 7},
                "city": {"type": "string"},
            },
            "required": ["days", "city"],
            "additionalProperties": false,
        }),
        json!({
            "type": "object",
            "properties": {"door": {"type": "string"}},
            "required": ["door"],
            "additionalProperties": false,
        }),
        json!({
            "type": "object",
            "properties": {"bars": {"type": "array", "items": pair}},
            "required": ["bars"],
            "additionalProperties": false,
        }),
    ]
}
